# Run in this directory: gnuplot ntpot.gp draws ntpot.pdf,
# gnuplot -e "format='svg'" ntpot.gp draws ntpot.svg; png likewise.
# The columns of the data are documented in ntpot.dat.
if (!exists('format')) format = 'pdf'
if (format eq 'pdf') set terminal pdfcairo noenhanced color size 3.33in,2.46in font 'Helvetica,8' fontscale 0.75
if (format eq 'svg') set terminal svg noenhanced size 320,236 dynamic font 'Helvetica,10.67' name 'ntpot' background 'white'
if (format eq 'png') set terminal pngcairo noenhanced color size 999,738 font 'Helvetica,8' fontscale 3.125 linewidth 2.5 pointscale 2.5
set output 'ntpot.'.format
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
set bmargin at screen 0.1707
set tmargin at screen 0.8618
set xlabel 'input tokens to compute'
set label 1 'ms per output token' at screen 0.0330, graph 0.5 center rotate
set yrange [0:*]
set xtics rotate by 0 scale 0
set style data histograms
set style histogram rowstacked
set boxwidth 0.75
set style fill solid 0.8 noborder
plot 'ntpot.dat' index 0 using 6:xtic(gprintf('%.0f', $1)) lt 1 dt 1 title 'decode', '' index 0 using 5 lt 3 dt 1 title 'prefill', '' index 0 using 4 lt 2 dt 1 title 'queue and the rest'
unset multiplot
unset output
