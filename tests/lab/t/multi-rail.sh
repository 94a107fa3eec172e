# SPDX-License-Identifier: Apache-2.0
# Proves that eight attachments of one pod, all in one subnet, each answer through their own interface, with the others down
# too; that each has its sysctls before it is up; and that rules, tables and settings of the pod go with the attachment
# that brought them, and no others.
before=$(snapshot)
host=$(pf_dev 0) # the rails' gateway and peer; all PFs are on one wire
ip addr add 10.9.0.1/24 dev "$host"
ip addr add fd09::1/64 dev "$host" nodad
ip addr add 172.16.9.1/32 dev "$host" # off the rails' subnet: only a default route leads back
vfs=("")
for pf in 0 1; do for n in 0 1 2 3; do vfs+=("$(vf_bdf $pf $n)"); done; done
rdma link delete mlx5_6 # it cannot move
pod_add one

rail='{"vlan": null, "vlanQoS": null, "mtu": null, "sourceRouting": true,
	"sysctl": {"net.ipv4.conf.IFNAME.arp_ignore": "1", "net.ipv4.conf.IFNAME.arp_announce": "2",
		"net/ipv4/conf/IFNAME/rp_filter": "0x1", "net.ipv6.conf.IFNAME.addr_gen_mode": "1",
		"net.ipv4.conf.all.arp_notify": "1", "net.ipv4.ip_local_port_range": "20000 30000"},
	"ipam": {"type": "cni-ipam", "subnet": null, "routes": [{"dst": "10.90.0.0/16"}], "ranges": [
		[{"subnet": "10.9.0.0/24", "gateway": "10.9.0.1", "rangeStart": "10.9.0.2"}],
		[{"subnet": "fd09::/64", "gateway": "fd09::1", "rangeStart": "fd09::2"}]]}}'
confs=("")
for n in 1 2 3 4 5 6 7 8; do confs+=("$(conf "${vfs[n]}" "$rail")"); done
rails() { # VERB N…
	local n
	for n in "${@:2}"; do ok plugin "$1" "${confs[n]}" one "net$n"; done
}
# variant N FILTER: the configuration of a rail, changed by jq
variant() { jq "$2" "${confs[$1]}" >"$said/variant.conf" && echo "$said/variant.conf"; }
pod_sysctl() { in_pod one sysctl -n "net.$1" | tr '\t' ' '; }
# What the attachments share in the pod; neither interfaces nor their routes, which come and go with them.
pod_state() {
	ip -n one rule
	ip -n one -6 rule
	# shellcheck disable=SC2016 # for the shell in the pod
	in_pod one sh -c 'cd /proc/sys/net/ipv4 && grep . ip_local_port_range ip_forward conf/all/* conf/default/*'
}
table_of() { ip -n one rule | sed -nE "s/.*from $1 lookup ([0-9]+).*/\1/p"; } # ADDRESS
main_routes() { ip -n one route show table main; }

in_pod one sysctl -q -w net.ipv4.conf.all.arp_notify=0 net.ipv4.ip_local_port_range="32000 60000"
empty=$(pod_state)
rails ADD 1 2 3 4 5 6 7 8
rails CHECK 1 8
address=("") address6=("") mac=("")
while read -r a a6 m; do address+=("$a") address6+=("$a6") mac+=("$m"); done < <(ip -n one -j addr | jq -r '
	.[] | select(.ifname | test("net")) | "\([.addr_info[].local] | join(" ")) \(.address)"') # the 4th would be a link-local one

# each has a table and rules of its own, and main nothing twice
tables=("") rules6=$(ip -n one -6 rule)
all=$(ip -n one -4 route show table all) all6=$(ip -n one -6 route show table all)
for n in 1 2 3 4 5 6 7 8; do
	table=$(table_of "${address[n]}")
	tables+=("$table")
	[[ $rules6 == *"from ${address6[n]} lookup $table"* ]]
	for route in "10.9.0.0/24 dev net$n" "default via 10.9.0.1 dev net$n" "10.90.0.0/16 via 10.9.0.1 dev net$n"; do
		[[ $all == *"$route table $table"* ]] || fail "no $route in table $table: $all"
	done
	[[ $all6 == *"default via fd09::1 dev net$n table $table"* ]]
done
(($(printf '%s\n' "${tables[@]}" | sort -u | wc -l) == 9))
main=$(main_routes)
(($(wc -l <<<"$main") == 2)) && [[ $main == *"10.9.0.0/24 dev net1 "* && $main != *default* ]]
(($(grep -c '^fd09::/64 .*metric' <<<"$all6") == 9)) # 8 tables', and main's
[[ $(pod_sysctl ipv4.conf.net8.arp_ignore) == 1 && $(pod_sysctl ipv4.conf.net8.rp_filter) == 1 ]]
[[ -z $(ip -n one -6 addr show scope link) ]] # they were told so before they were up
[[ $(pod_sysctl ipv4.ip_local_port_range) == "20000 30000" ]]

# answers N: at its addresses, to those in its subnet and to those that only its default route leads to
answers() {
	wait_for 5 ping -c 1 -W 1 -I 10.9.0.1 "${address[$1]}"
	wait_for 5 ping -c 1 -W 1 -I 172.16.9.1 "${address[$1]}"
	wait_for 5 ping -c 1 -W 1 -I fd09::1 "${address6[$1]}"
}
sent() { ip -n one -s -j link | jq -r '.[] | select(.ifname | test("net")) | .stats64.tx.packets'; }
ip neigh flush dev "$host"
sent_before=$(sent)
for n in 1 2 3 4 5 6 7 8; do answers $n; done
paste <(sent) - <<<"$sent_before" | while read -r is was; do
	((is >= was + 5)) || fail "an interface sent $((is - was)) packets, not ARP, ND, and three answers"
done
neighbours=$(ip neigh show dev "$host")
for n in 1 2 3 4 5 6 7 8; do [[ $neighbours == *"${address[n]} lladdr ${mac[n]}"* ]]; done

# with the others down. The kernel drops an interface's routes then, and so its own are put back, as they were: nets first,
# which gateways are in.
# shellcheck disable=SC2016 # awk's
printf '%s\n' "$all" "$all6" | awk -v dir="$said" 'match($0, / dev net[0-9]+ table [0-9]+ /) {
	dev = $0; sub(/.* dev /, "", dev); sub(/ .*/, "", dev)
	count[dev]++; lines[dev, / via /] = lines[dev, / via /] "route add " $0 "\n" }
	END { for (dev in count) if (count[dev] == 5) printf "%s%s", lines[dev, 0], lines[dev, 1] >(dir "/routes." dev) }'
for n in 1 2 3 4 5 6 7 8; do ip -n one link set net$n down; done
for n in 1 2 3 4 5 6 7 8; do
	ip -n one link set net$n up
	ip -n one -6 addr replace "${address6[n]}/64" dev net$n nodad noprefixroute
	ip -n one -batch "$said/routes.net$n"
	answers $n
	ip -n one link set net$n down
done

# DEL takes what is its own, while the others live
others=$(pod_state | grep -v " ${tables[3]}\b")
rails DEL 3
[[ $(pod_state) == "$others" ]]
rails DEL 1 2 4 5 6 7
[[ $(pod_sysctl ipv4.ip_local_port_range) == "20000 30000" ]] # net8 still wants it
ip -n one link set net8 netns $$ # the interface has left; its rules have not
rails DEL 8
[[ $(pod_state) == "$empty" ]]

# a change that CHECK tells; a table that is used, and a rule that somebody left for an address, its table empty
ip -n one route add blackhole 10.99.0.0/16 table "${tables[1]}"
ip -n one rule add from 10.9.0.77 lookup 7777
one=$(variant 1 '.ipam.ranges = [[{subnet: "10.9.0.0/24", gateway: "10.9.0.1", rangeStart: "10.9.0.77", rangeEnd: "10.9.0.77"}]]')
ok plugin ADD "$one" one net1
table=$((tables[1] + 1))
[[ $(table_of 10.9.0.77) == "$table" ]]
altered() { # PATTERN COMMAND…: in the pod, where CHECK then finds what matches
	in_pod one "${@:2}"
	fails plugin CHECK "$one" one net1
	expect_error 101 "$1"
}
altered 'the rule from 10.9.0.77 to table [0-9]+ is missing' ip rule del from 10.9.0.77
ip -n one rule add from 10.9.0.77 lookup $table priority 32765 protocol boot
altered 'route 0.0.0.0/0 is missing in table' ip route del default table $table
altered 'sysctl net/ipv4/conf/all/arp_notify is 0, not 1' sysctl -q -w net.ipv4.conf.all.arp_notify=0
ok plugin DEL "$one" one net1
ip -n one route del blackhole 10.99.0.0/16 table "${tables[1]}"
[[ $(pod_state) == "$empty" ]]

# the last one's wish counts, and the first one's is served again when that goes
rails ADD 1
other=$(variant 2 '.sysctl = {"net.ipv4.ip_local_port_range": "21000\t22000"}')
ok plugin ADD "$other" one net2
[[ $(pod_sysctl ipv4.ip_local_port_range) == "21000 22000" ]]
ok plugin CHECK "$other" one net2
ok plugin DEL "$other" one net2
[[ $(pod_sysctl ipv4.ip_local_port_range) == "20000 30000" ]]
rails DEL 1
[[ $(pod_state) == "$empty" ]]

# a failed ADD, as late as can be, gives back all of it
echo 1 >/sys/module/vfib/parameters/port_down
fails plugin ADD "$(variant 5 '.rdma = {required: true, readyTimeoutMs: 50}')" one net5
expect_error 100 'is DOWN, not ACTIVE'
echo 0 >/sys/module/vfib/parameters/port_down
[[ $(pod_state) == "$empty" ]]

# the plugin's own namespace, what is no setting of a namespace, what the kernel refuses
refused() { # CODE PATTERN KEY VALUE
	fails plugin ADD "$(variant 1 ".sysctl = {\"$3\": $4}")" one net1
	expect_error "$1" "$2"
}
refused 7 'sysctl: "kernel.hostname": "x"' kernel.hostname '"x"'
refused 7 'sysctl: "net/../kernel/hostname": "x"' net/../kernel/hostname '"x"'
refused 7 'sysctl.net.ipv4.ip_forward: 1 is not a string' net.ipv4.ip_forward 1
refused 7 'sysctl: "net.core.rmem_max": "1": .*Permission denied' net.core.rmem_max '"1"'
refused 7 'sysctl: "net.ipv4.conf.IFNAME.nothing": "1": .*No such file' net.ipv4.conf.IFNAME.nothing '"1"'
refused 7 'sysctl: "net.ipv4.conf.IFNAME.arp_ignore": "many": .*Invalid argument' net.ipv4.conf.IFNAME.arp_ignore '"many"'
[[ $(pod_state) == "$empty" ]]

# routes with all that a result can say
c=$(conf "${vfs[1]}" '{"vlan": null, "vlanQoS": null, "ipam": {"subnet": "10.9.0.0/24", "gateway": "10.9.0.1", "routes": [
	{"dst": "10.91.0.0/16", "priority": 77, "mtu": 1400, "advmss": 1200}, {"dst": "10.92.0.0/16", "table": 300},
	{"dst": "10.93.0.0/16", "scope": 253}, {"dst": "10.94.0.0/16", "gw": "10.9.0.7", "table": 300, "priority": 5}]}}')
ok plugin ADD "$c" one net1
main=$(main_routes) other=$(ip -n one route show table 300)
[[ $main == *"10.91.0.0/16 via 10.9.0.1 dev net1 metric 77 mtu 1400 advmss 1200"* && $main == *"10.93.0.0/16 dev net1 scope link"* ]]
[[ $other == *"10.92.0.0/16 via 10.9.0.1 dev net1"* && $other == *"10.94.0.0/16 via 10.9.0.7 dev net1 metric 5"* ]]
ok plugin CHECK "$c" one net1
ip -n one route replace 10.91.0.0/16 via 10.9.0.1 dev net1 metric 77 mtu 1300 advmss 1200
fails plugin CHECK "$c" one net1
expect_error 101 'route 10.91.0.0/16 is missing'
ok plugin DEL "$c" one net1
[[ $(pod_state) == "$empty" ]]

# the namespace dies with all of them
rails ADD 1 5
pod_del one
NETNS="" rails DEL 1 5
rdma_add "${vfs[7]}" mlx5_6 fixed
for address in 10.9.0.1/24 fd09::1/64 172.16.9.1/32; do ip addr del $address dev "$host"; done
expect_same "$before" "$(snapshot)"
