# Run in this directory: gnuplot lag.gp draws lag.pdf,
# gnuplot -e "format='svg'" lag.gp draws lag.svg; png likewise.
# The columns of the data are documented in lag.dat.
if (!exists('format')) format = 'pdf'
if (format eq 'pdf') set terminal pdfcairo noenhanced color size 3.33in,2.35in font 'Helvetica,8' fontscale 0.75
if (format eq 'svg') set terminal svg noenhanced size 320,226 dynamic font 'Helvetica,10.67' name 'lag' background 'white'
mark = format eq 'svg' ? 1.6 : 1
sample = format eq 'svg' ? 0.8 : 1
if (format eq 'svg') set key spacing 0.85
if (format eq 'png') set terminal pngcairo noenhanced color size 999,705 font 'Helvetica,8' fontscale 3.125 linewidth 2.5 pointscale 2.5
if (!exists('file')) file = 'lag.'.format
set output file
set encoding utf8
unset title
set border 3 lw 1
set tics nomirror out scale 0.5,0.25
set pointintervalbox 0
set grid xtics ytics lc rgb '#DDDDDD' lw 0.5 dt 1
set xtics offset 0,0.2
set key at graph 0, graph 1 left bottom horizontal Left reverse height 0.3
set linetype 1 lc rgb '#0072B2' dt 1 pt 7 ps 0.4*mark lw 1.5
set linetype 2 lc rgb '#D55E00' dt (8,3) pt 5 ps 0.4*mark lw 1.5
set linetype 3 lc rgb '#009E73' dt (3,3) pt 9 ps 0.4*mark lw 1.5
set linetype 4 lc rgb '#CC79A7' dt (10,3,2,3) pt 11 ps 0.4*mark lw 1.5
set linetype 5 lc rgb '#E69F00' dt (5,5) pt 13 ps 0.4*mark lw 1.5
set linetype 6 lc rgb '#56B4E9' dt (12,3,2,3,2,3) pt 4 ps 0.4*mark lw 1.5
set linetype 7 lc rgb '#000000' dt (2,2) pt 6 ps 0.4*mark lw 1.5
set linetype 8 lc rgb '#0072B2' dt (8,3) pt 5 ps 0.4*mark lw 1.5
set linetype 9 lc rgb '#D55E00' dt (3,3) pt 9 ps 0.4*mark lw 1.5
set linetype 10 lc rgb '#009E73' dt (10,3,2,3) pt 11 ps 0.4*mark lw 1.5
set linetype 11 lc rgb '#CC79A7' dt (5,5) pt 13 ps 0.4*mark lw 1.5
set linetype 12 lc rgb '#E69F00' dt (12,3,2,3,2,3) pt 4 ps 0.4*mark lw 1.5
set linetype 13 lc rgb '#56B4E9' dt (2,2) pt 6 ps 0.4*mark lw 1.5
set linetype 14 lc rgb '#000000' dt 1 pt 7 ps 0.4*mark lw 1.5
set linetype 15 lc rgb '#0072B2' dt (3,3) pt 9 ps 0.4*mark lw 1.5
set linetype 16 lc rgb '#D55E00' dt (10,3,2,3) pt 11 ps 0.4*mark lw 1.5
set linetype 17 lc rgb '#009E73' dt (5,5) pt 13 ps 0.4*mark lw 1.5
set linetype 18 lc rgb '#CC79A7' dt (12,3,2,3,2,3) pt 4 ps 0.4*mark lw 1.5
set linetype 19 lc rgb '#E69F00' dt (2,2) pt 6 ps 0.4*mark lw 1.5
set linetype 20 lc rgb '#56B4E9' dt 1 pt 7 ps 0.4*mark lw 1.5
set linetype 21 lc rgb '#000000' dt (8,3) pt 5 ps 0.4*mark lw 1.5
set linetype 22 lc rgb '#0072B2' dt (10,3,2,3) pt 11 ps 0.4*mark lw 1.5
set linetype 23 lc rgb '#D55E00' dt (5,5) pt 13 ps 0.4*mark lw 1.5
set linetype 24 lc rgb '#009E73' dt (12,3,2,3,2,3) pt 4 ps 0.4*mark lw 1.5
set linetype 25 lc rgb '#CC79A7' dt (2,2) pt 6 ps 0.4*mark lw 1.5
set linetype 26 lc rgb '#E69F00' dt 1 pt 7 ps 0.4*mark lw 1.5
set linetype 27 lc rgb '#56B4E9' dt (8,3) pt 5 ps 0.4*mark lw 1.5
set linetype 28 lc rgb '#000000' dt (3,3) pt 9 ps 0.4*mark lw 1.5
set linetype 29 lc rgb '#0072B2' dt (5,5) pt 13 ps 0.4*mark lw 1.5
set linetype 30 lc rgb '#D55E00' dt (12,3,2,3,2,3) pt 4 ps 0.4*mark lw 1.5
set linetype 31 lc rgb '#009E73' dt (2,2) pt 6 ps 0.4*mark lw 1.5
set linetype 32 lc rgb '#CC79A7' dt 1 pt 7 ps 0.4*mark lw 1.5
set linetype 33 lc rgb '#E69F00' dt (8,3) pt 5 ps 0.4*mark lw 1.5
set linetype 34 lc rgb '#56B4E9' dt (3,3) pt 9 ps 0.4*mark lw 1.5
set linetype 35 lc rgb '#000000' dt (10,3,2,3) pt 11 ps 0.4*mark lw 1.5
set linetype 36 lc rgb '#0072B2' dt (12,3,2,3,2,3) pt 4 ps 0.4*mark lw 1.5
set linetype 37 lc rgb '#D55E00' dt (2,2) pt 6 ps 0.4*mark lw 1.5
set linetype 38 lc rgb '#009E73' dt 1 pt 7 ps 0.4*mark lw 1.5
set linetype 39 lc rgb '#CC79A7' dt (8,3) pt 5 ps 0.4*mark lw 1.5
set linetype 40 lc rgb '#E69F00' dt (3,3) pt 9 ps 0.4*mark lw 1.5
set linetype 41 lc rgb '#56B4E9' dt (10,3,2,3) pt 11 ps 0.4*mark lw 1.5
set linetype 42 lc rgb '#000000' dt (5,5) pt 13 ps 0.4*mark lw 1.5
set linetype 43 lc rgb '#0072B2' dt (2,2) pt 6 ps 0.4*mark lw 1.5
set linetype 44 lc rgb '#D55E00' dt 1 pt 7 ps 0.4*mark lw 1.5
set linetype 45 lc rgb '#009E73' dt (8,3) pt 5 ps 0.4*mark lw 1.5
set linetype 46 lc rgb '#CC79A7' dt (3,3) pt 9 ps 0.4*mark lw 1.5
set linetype 47 lc rgb '#E69F00' dt (10,3,2,3) pt 11 ps 0.4*mark lw 1.5
set linetype 48 lc rgb '#56B4E9' dt (5,5) pt 13 ps 0.4*mark lw 1.5
set linetype 49 lc rgb '#000000' dt (12,3,2,3,2,3) pt 4 ps 0.4*mark lw 1.5
unset logscale
unset label
set xrange [*:*]
set yrange [*:*]
set xtics nomirror autofreq
set ytics nomirror autofreq
set lmargin at screen 0.1862
set rmargin at screen 0.9580
set bmargin at screen 0.1702
set tmargin at screen 0.8936
set label 1 'share' at screen 0.0270, graph 0.5 center rotate
set label 2 'lag (µs)' at graph 0.5, screen 0.0426 center
set key samplen 2*sample maxcols 2 width (format eq 'svg' ? -4 : -1)
set logscale x 10
set xrange [3.834:463.9]
set xtics ('5' 5, '10' 10, '20' 20, '50' 50, '100' 100, '200' 200)
set yrange [0:*]
plot 'lag.dat' index 0 using 1:3 with steps lt 1 title 'send, requests', \
    'lag.dat' index 1 using 1:3 with steps lt 2 title 'receive, tokens'
unset multiplot
unset output
