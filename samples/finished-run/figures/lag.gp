# Run in this directory: gnuplot lag.gp draws lag.pdf,
# gnuplot -e "format='svg'" lag.gp draws lag.svg; png likewise.
# The columns of the data are documented in lag.dat.
if (!exists('format')) format = 'pdf'
if (format eq 'pdf') set terminal pdfcairo noenhanced color size 3.33in,2.36in font 'Helvetica,8' fontscale 0.75
if (format eq 'svg') set terminal svg noenhanced size 320,227 dynamic font 'Helvetica,10.67' name 'lag' background 'white'
if (format eq 'png') set terminal pngcairo noenhanced color size 999,708 font 'Helvetica,8' fontscale 3.125 linewidth 2.5 pointscale 2.5
set output 'lag.'.format
set encoding utf8
unset title
set border 3 lw 1
set tics nomirror out scale 0.5,0.25
set grid xtics ytics lc rgb '#DDDDDD' lw 0.5 dt 1
set xlabel offset 0,0.5
set key at graph 0, graph 1.02 left bottom horizontal Left reverse samplen 2.5 width 1
set linetype 1 lc rgb '#0072B2' dt 1 pt 7 ps 0.4 lw 1.5
set linetype 2 lc rgb '#D55E00' dt (8,3) pt 5 ps 0.4 lw 1.5
set linetype 3 lc rgb '#009E73' dt (3,3) pt 9 ps 0.4 lw 1.5
set linetype 4 lc rgb '#CC79A7' dt (10,3,2,3) pt 11 ps 0.4 lw 1.5
set linetype 5 lc rgb '#E69F00' dt (5,5) pt 13 ps 0.4 lw 1.5
set linetype 6 lc rgb '#56B4E9' dt (12,3,2,3,2,3) pt 4 ps 0.4 lw 1.5
set linetype 7 lc rgb '#000000' dt (2,2) pt 6 ps 0.4 lw 1.5
set linetype cycle 7
unset logscale
set xrange [*:*]
set yrange [*:*]
set xtics autofreq
set ytics autofreq
set lmargin at screen 0.1742
set rmargin at screen 0.9640
set bmargin at screen 0.1780
set tmargin at screen 0.8559
set xlabel 'lag (µs)'
set label 1 'share' at screen 0.0330, graph 0.5 center rotate
set logscale x 10
set xrange [3.834:463.9]
set xtics ('5' 5, '10' 10, '20' 20, '50' 50, '100' 100, '200' 200)
set yrange [0:*]
plot 'lag.dat' index 0 using 1:3 with steps lt 1 title 'send lag, requests', '' index 0 using 1:4 with steps lt 2 title 'receive lag, tokens'
unset multiplot
unset output
