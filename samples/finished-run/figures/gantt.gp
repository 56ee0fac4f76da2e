# Run in this directory: gnuplot gantt.gp draws gantt.pdf,
# gnuplot -e "format='svg'" gantt.gp draws gantt.svg; png likewise.
# The columns of the data are documented in gantt.dat.
if (!exists('format')) format = 'pdf'
if (format eq 'pdf') set terminal pdfcairo noenhanced color size 3.33in,3.18in font 'Helvetica,8' fontscale 0.75
if (format eq 'svg') set terminal svg noenhanced size 320,305 dynamic font 'Helvetica,10.67' name 'gantt' background 'white'
mark = format eq 'svg' ? 1.6 : 1
sample = format eq 'svg' ? 0.8 : 1
if (format eq 'svg') set key spacing 0.85
if (format eq 'png') set terminal pngcairo noenhanced color size 999,954 font 'Helvetica,8' fontscale 3.125 linewidth 2.5 pointscale 2.5
if (!exists('file')) file = 'gantt.'.format
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
set bmargin at screen 0.1258
set tmargin at screen 0.8805
set label 1 'requests by due time' at screen 0.0270, graph 0.5 center rotate
set label 2 'time (s)' at graph 0.5, screen 0.0314 center
set key samplen 2*sample maxcols 2 width (format eq 'svg' ? -4 : -1)
set xrange [0.490485908:2.60626867]
set xtics ('0.5' 0.5, '1' 1, '1.5' 1.5, '2' 2, '2.5' 2.5)
set yrange [39.5:-0.5] noreverse
set ytics 5
set style fill noborder
plot 'gantt.dat' index 0 using 3:1:3:4:($1-0.35):($1+0.35) with boxxyerror lt 7 dt 1 fs solid 1 title 'send lag', \
    'gantt.dat' index 0 using 4:1:4:5:($1-0.35):($1+0.35) with boxxyerror lt 5 dt 1 fs solid 0.5 title 'queue + prefill', \
    'gantt.dat' index 0 using 5:1:5:6:($1-0.35):($1+0.35) with boxxyerror lt 1 dt 1 fs solid 1 title 'decode', \
    'gantt.dat' index 0 using 6:1:6:7:($1-0.35):($1+0.35) with boxxyerror lt 6 dt 1 fs solid 1 title 'receive lag'
unset multiplot
unset output
