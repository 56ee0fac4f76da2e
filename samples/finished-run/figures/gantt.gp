# Run in this directory: gnuplot gantt.gp draws gantt.pdf,
# gnuplot -e "format='svg'" gantt.gp draws gantt.svg; png likewise.
# The columns of the data are documented in gantt.dat.
if (!exists('format')) format = 'pdf'
if (format eq 'pdf') set terminal pdfcairo noenhanced color size 3.33in,2.96in font 'Helvetica,8' fontscale 0.75
if (format eq 'svg') set terminal svg noenhanced size 320,284 dynamic font 'Helvetica,10.67' name 'gantt' background 'white'
if (format eq 'png') set terminal pngcairo noenhanced color size 999,888 font 'Helvetica,8' fontscale 3.125 linewidth 2.5 pointscale 2.5
set output 'gantt.'.format
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
set bmargin at screen 0.1419
set tmargin at screen 0.8851
set xlabel 'time (s)'
set label 1 'requests by due time' at screen 0.0330, graph 0.5 center rotate
set key maxcols 4 samplen 1
set yrange [39.5:-0.5] noreverse
set style fill solid 1 noborder
plot 'gantt.dat' index 0 using 3:1:3:4:($1-0.35):($1+0.35) with boxxyerror lt 2 dt 1 title 'send lag', 'gantt.dat' index 0 using 4:1:4:5:($1-0.35):($1+0.35) with boxxyerror lt 5 dt 1 title 'queue + prefill', 'gantt.dat' index 0 using 5:1:5:6:($1-0.35):($1+0.35) with boxxyerror lt 6 dt 1 title 'decode', 'gantt.dat' index 0 using 6:1:6:7:($1-0.35):($1+0.35) with boxxyerror lt 4 dt 1 title 'receive lag'
unset multiplot
unset output
