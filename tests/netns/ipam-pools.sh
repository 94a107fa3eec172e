# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2100
# Pools of the pools directory: two networks on one, changes between ADD and DEL, nv-ipam's objects, commands.
# shellcheck source=tests/netns/ipam.inc
. "$(dirname "$0")/ipam.inc"

pool() { echo "$2" >"$pools/$1.json"; }
cli() { "$plugin" "$@" --data-dir "$data" --pools-dir "$pools" --node n1; }

echo "two networks on one pool never share an address, nor do overlapping pools"
pool gpu '{"subnet":"10.0.0.0/24","gateway":"10.0.0.1","perNodeBlockSize":8,"nodes":{"n0":0,"n1":1},"routes":[{"dst":"10.0.0.0/8"}],"cooldown":0}'
pool over '{"subnet":"10.0.0.0/24","rangeStart":"10.0.0.8","rangeEnd":"10.0.0.11","nodeLocal":true,"cooldown":0}'
pool apart '{"subnet":"10.0.0.0/24","rangeStart":"10.0.0.8","nodeLocal":true,"fabric":"other"}'
is 10.0.0.8/24 "$(give a '"pool":"gpu"')"
net=net-b
is 10.0.0.9/24 "$(give a '"pool":"gpu"')"
is 10.0.0.10/24 "$(give a '"pool":"over"' net2)"
is 10.0.0.8/24 "$(give a '"pool":"apart"' net3)"
net=net-a
is 10.0.0.11/24 "$(give b '"pool":"gpu"')"
refused 102 "pool 'over' (10.0.0.0/24) is exhausted: size 4, held 4" raw ADD c '"pool":"over"'
is "10.0.0.12/24 10.0.0.9/24" "$(give c '"pool":["gpu","apart"]')"

echo "a pool that has grown, shrunk, moved, or gone: leases stay right"
sleep 2 # until the file is remembered; then a change of it must be seen
is 10.0.0.13/24 "$(give d '"pool":"gpu"')"
pool gpu '{"subnet":"10.0.0.0/24","gateway":"10.0.0.1","nodes":{"n1":["10.0.0.14-10.0.0.15"]},"cooldown":0}'
is 10.0.0.13/24 "$(give d '"pool":"gpu"')" # a repeated ADD: out of range by now, but its own
is 10.0.0.14/24 "$(give e '"pool":"gpu"')"
is 10.0.0.15/24 "$(give f '"pool":"gpu"')"
refused 102 "size 2, held 2" raw ADD g '"pool":"gpu"'
pool gpu '{"subnet":"10.0.0.0/24","gateway":"10.0.0.1","nodes":{"n1":["10.0.0.12-10.0.0.16"]},"cooldown":0}'
is 10.0.0.16/24 "$(give g '"pool":"gpu"')" # grown: 12 and 13 are held still
rm "$pools/gpu.json"
take d '"pool":"gpu"'
refused 7 "there is no pool 'gpu'" raw ADD h '"pool":"gpu"'
pool gpu '{"subnet":"10.0.0.0/24","nodes":{"n1":["10.0.0.12-10.0.0.16"]},"cooldown":0}'
is 10.0.0.13/24 "$(give h '"pool":"gpu"')"
pool gpu '{"subnet":"10.8.0.0/24","nodeLocal":true,"cooldown":0}'
is 10.8.0.1/24 "$(give h '"pool":"gpu"')" # another subnet: the old address would be of no use
take h '"pool":"gpu"'
pool gpu '{"subnet":"10.0.0.0/24","nodes":{"n1":["10.0.0.12-10.0.0.16"]},"cooldown":0}'
is 10.0.0.13/24 "$(give i '"pool":"gpu"')"

echo "bad pools are refused with file, field and value"
pool bad '{"subnet":"10.0.0.0/24"}'
refused 7 "pool file $pools/bad.json: nothing says which part is this node's" raw ADD x '"pool":"bad"'
pool bad '{"subnet":"10.0.0.9/24","nodeLocal":true}'
refused 7 "pool file $pools/bad.json: subnet: \"10.0.0.9/24\" is not a subnet" raw ADD x '"pool":"bad"'
pool bad '{"subnet":"10.0.0.0/24","nodes":{"n1":["10.0.0.0/26"],"n2":["10.0.0.32/27"]}}'
refused 7 "overlaps" raw ADD x '"pool":"bad"'
refused 7 "ipam.pool: '../bad' is not a pool's name" raw ADD x '"pool":"../bad"'
pool bad '{"subnet":"10.0.0.0/24"}'
refused 50 "nothing says" raw STATUS "" '"pool":"bad"'

echo "objects of nv-ipam, one in a file or many in a List, a name in both kinds"
pool whatever '{"kind":"List","apiVersion":"v1","items":[
	{"apiVersion":"nv-ipam.nvidia.com/v1alpha1","kind":"IPPool","metadata":{"name":"rail"},
	 "spec":{"subnet":"192.168.0.0/16","perNodeBlockSize":100,"gateway":"192.168.0.1","defaultGateway":true,"routes":[{"dst":"5.5.0.0/16"}],
		"exclusions":[{"startIP":"192.168.0.1","endIP":"192.168.0.10"}],"perNodeExclusions":[{"startIndex":0,"endIndex":1}]},
	 "status":{"allocations":[{"nodeName":"n0","startIP":"192.168.0.1","endIP":"192.168.0.100"},
		{"nodeName":"n1","startIP":"192.168.0.101","endIP":"192.168.0.200"}]}},
	{"apiVersion":"nv-ipam.nvidia.com/v1alpha1","kind":"CIDRPool","metadata":{"name":"rail"},
	 "spec":{"cidr":"10.100.0.0/16","gatewayIndex":1,"perNodeNetworkPrefix":24},
	 "status":{"allocations":[{"nodeName":"n1","prefix":"10.100.7.0/24","gateway":"10.100.7.1"}]}}]}'
rm "$pools/bad.json"
is '{"cniVersion":"1.1.0","ips":[{"address":"192.168.0.103/16","gateway":"192.168.0.1"}],"routes":[{"dst":"5.5.0.0/16","gw":"192.168.0.1"},{"dst":"0.0.0.0/0","gw":"192.168.0.1"}]}' \
	"$(ipam '"poolName":"rail"' | call ADD nv1 | jq -c .)"
is 10.100.7.2/24 "$(give nv2 '"poolName":"rail","poolType":"cidrpool"')"
is 10.100.7.1/24 "$(ipam '"poolName":"rail","poolType":"cidrpool"' | jq '.args.cni.allocateDefaultGateway = true' | call ADD nv3 |
	jq -r '.ips[0] | .address + (.gateway // "")')"
is 192.168.0.106/16 "$(ipam '"poolName":"rail"' | jq '.args.cni.allocateIPWithIndex = 5' | call ADD nv4 | jq -r '.ips[0].address')"
is "10.0.0.14/24 192.168.0.104/16" "$(take e '"pool":"gpu"' && give nv5 '"poolName":"gpu,rail"')"
is 192.168.0.105/16 "$(ipam '"poolName":"gpu"' | jq '.args.cni.poolNames = ["rail"]' | call ADD nv6 | jq -r '.ips[0].address')"
net=rail
is 192.168.0.107/16 "$(give nv7 '')" # without any name it is the network's
net=net-a

echo "whereabouts: all its networks share addresses, unless they say otherwise"
is 10.6.0.1/24 "$(give w1 '"range":"10.6.0.0/24"')"
net=net-b
is 10.6.0.2/16 "$(give w2 '"range":"10.6.0.0/16","range_end":"10.6.0.9"')"
is 10.6.0.1/24 "$(give w3 '"range":"10.6.0.0/24","network_name":"blue"')"
net=net-a

echo "commands: pools, leases, validate, release, reclaim"
is "247 2 0 245" "$(cli pools --json | jq -r '.[] | select(.pool == "apart") | "\(.size) \(.held) \(.cooling) \(.free)"')"
shows '^gpu  *10.0.0.0/24  *10.0.0.12-10.0.0.16  *5 ' cli pools
shows '^10.0.0.13  *net-a  *gpu  *i ' cli leases
shows "^ok: .*node 'n1' gives out 10.0.0.12-10.0.0.16 of 10.0.0.0/24, 5 in all" cli validate "$pools/gpu.json"
ipam '"subnet":"10.0.0.0/24"' >"$dir/conf.json"
shows '^warning: .*which all nodes share' cli validate "$dir/conf.json"
echo '{"subnet":"10.0.0.0/24"}' >"$dir/bad.json"
if cli validate "$dir/bad.json" >"$dir/out"; then fail "validate of a bad file succeeded"; fi
grep -q "^error: .*bad.json: nothing says" "$dir/out"
if echo n | cli release 10.0.0.13 >"$dir/out" 2>&1; then fail "release without a yes"; fi
echo y | cli release 10.0.0.13 >"$dir/out" 2>&1
is 0 "$(cli leases --json | jq '[.[] | select(.address == "10.0.0.13")] | length')"
cli release --container nv2 --yes >"$dir/out" 2>&1
status=0
cli nonsense 2>"$dir/out" || status=$?
is 2 "$status"

echo "reclaim: a container whose namespace is gone, or another one under the same path"
undo() { ip netns del "ipam-$$-a" 2>/dev/null || true; ip netns del "ipam-$$-b" 2>/dev/null || true; rm -rf "$dir"; }
ip netns add "ipam-$$-a"
ip netns add "ipam-$$-b"
cli reclaim --json >"$dir/out" 2>&1
netns=/var/run/netns/ipam-$$-a
is 10.7.0.1/24 "$(give r1 '"subnet":"10.7.0.0/24"')"
netns=/var/run/netns/ipam-$$-b
is 10.7.0.2/24 "$(give r2 '"subnet":"10.7.0.0/24"')"
netns=/nowhere/else
is 10.7.0.3/24 "$(give r3 '"subnet":"10.7.0.0/24"')"
ip netns del "ipam-$$-b"
ip netns add "ipam-$$-b"
is r2 "$(cli reclaim --dry-run --json 2>/dev/null | jq -r '[.[].container] | join(" ")')"
is r2 "$(cli reclaim --json 2>/dev/null | jq -r '[.[].container] | join(" ")')"
is "r1 r3" "$(cli leases --json | jq -r '[.[] | select(.container | startswith("r")).container] | join(" ")')"
