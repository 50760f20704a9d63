# What the programs for ns-2 have in common.

# Reads words key=value over the defaults in the array o; a key that is not there is an error, or it would change nothing in silence.
proc read_words {words} {
  global o
  foreach word $words {
    lassign [split $word =] key value
    if {![info exists o($key)]} { puts stderr "there is no word `$key'; known are [lsort [array names o]]"; exit 2 }
    set o($key) $value
  }
}

# A sender and its receiver, which acknowledges every segment unless delack is set.
proc new_tcp {} {
  global o
  set sink Agent/TCPSink
  switch -glob $o(scheme) {
    Tahoe { set t [new Agent/TCP] }
    Reno - Newreno - Vegas { set t [new Agent/TCP/$o(scheme)] }
    Sack1 - Fack { set t [new Agent/TCP/$o(scheme)]; set sink Agent/TCPSink/Sack1 }
    linux-* { set t [new Agent/TCP/Linux]; set sink Agent/TCPSink/Sack1 }
    default { error "scheme $o(scheme)" }
  }
  if {$o(delack)} { append sink /DelAck; $sink set interval_ 100ms }
  set k [new $sink]
  $t set packetSize_ $o(pkt); $t set window_ $o(win); $t set windowInit_ $o(iw)
  $t set minrto_ $o(minrto); $t set tcpTick_ $o(tick); $t set timestamps_ $o(ts)
  if {[string match linux-* $o(scheme)]} {
    $k set ts_echo_rfc1323_ true; $t set timestamps_ true
    [Simulator instance] at 0.0 "$t select_ca [string range $o(scheme) 6 end]"
  }
  return [list $t $k]
}
