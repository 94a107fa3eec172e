# SPDX-License-Identifier: Apache-2.0
# Proves that two doctors transfer data between pods, that none waits for ever for a peer that is not there any more, and that
# a DEL, while they hold the pods' devices open and write, neither blocks nor leaves anything.
before=$(snapshot)
bin=$BUILD/cni-sriov-rdma/cni-sriov-rdma-doctor
one=$(vf_bdf 0 0) two=$(vf_bdf 0 1)
pod_add one two
dual='{"ipam": {"subnet": null, "ranges": [[{"subnet": "10.0.100.0/24"}], [{"subnet": "fd00:100::/64"}]]}}'
attach() {
	ok plugin ADD "$(conf "$one" "$dual")" one net1
	ok plugin ADD "$(conf "$two" "$dual")" two net1
	address=$(pod_ip two)
	ping_ok one "$address"
}
attach
client() { "$bin" --netns /run/netns/one --client "$address" --json "$@" >"$said/client"; }
start_client() { # OPTION…: in the background, $! being it
	"$bin" --netns /run/netns/one --client "$address" --json "$@" >"$said/client" &
	sleep 1
}
serve() { # OPTION…: in the background, $! being the server
	"$bin" --netns /run/netns/two --server --json "$@" >"$said/server" 2>"$said/ready" &
	wait_for 20 grep -q listening "$said/ready"
}
holds() { jq -es "length == 1 and (.[0] | $2)" "$said/$1" >/dev/null || fail "$1, not so: $2: $(<"$said/$1")"; }
# ends SECONDS STATUS PID: within that time, with that status
ends() {
	local status=0
	wait_for "$1" fails_quietly kill -0 "$3"
	wait "$3" || status=$?
	((status == $2)) || fail "status $status, not $2"
}
fails_quietly() { ! "$@" 2>/dev/null; }

# data, with its rate, by IPv4 and by IPv6
serve
client --size 10000 --iterations 100 --seconds 10
ends 20 0 $!
holds client '.status == "pass" and .mode == "client" and ([.checks[].id] == ["address", "route", "connect", "transfer", "data"]) and
	(.checks[3].values | .iterations == 100 and .bytes == 1000000 and .seconds > 0 and .gbitPerSecond > 0) and
	(.checks[4].observed == "verified by the peer")'
holds server '.status == "pass" and .mode == "server" and (.checks[2] | .id == "data" and .observed == "100 x 10000 bytes, verified")'
address=$(ip -n two -6 -j addr show net1 scope global | jq -r '.[0].addr_info[0].local')
serve --device mlx5_1 --interface net1
client --size 100000 --seconds 1 --iterations 100000 --device mlx5_0
ends 20 0 $!
holds client '.status == "pass" and (.checks[] | select(.id == "transfer") | .device == "mlx5_0" and .interface == "net1" and
	.values.seconds >= 1 and .values.iterations < 100000)'

# no peer
address=$(pod_ip two)
SECONDS=0
fails client
holds client '.checks[2] | .id == "connect" and .status == "fail" and (.reason | test("is a server running"))'
fails "$bin" --netns /run/netns/two --server --wait 1 >/dev/null
fails "$bin" --netns /run/netns/one --client 10.0.100.77 --timeout 1 >/dev/null
((SECONDS < 60)) # they do not wait for ever

# one that stops, one that dies
serve
server=$!
start_client --iterations 1000000 --seconds 20
stop $! KILL
ends 20 1 $server
holds server '.checks[2] | .id == "data" and .status == "fail" and (.reason | test("client.s writes"))'
serve
server=$!
start_client --iterations 100000 --seconds 2 --timeout 1
client=$!
kill -STOP $server
ends 30 1 $client
holds client '.checks[4] | .id == "data" and .status == "fail" and (.reason | test("timed out"))'
stop $server KILL
serve
server=$!
start_client --iterations 1000000 --seconds 20 --timeout 3
client=$!
stop $server KILL
ends 30 1 $client
holds client '.status == "fail" and (.checks[3] | .id == "transfer" and .status == "fail")'

# DEL while both have their devices open and write
ip netns exec one ibv_asyncwatch -d mlx5_0 >"$said/watch" &
watch=$!
serve
server=$!
start_client --iterations 1000000 --seconds 60 --timeout 5
client=$!
kill -0 $server $client $watch
SECONDS=0
ok plugin DEL "$(conf "$two")" two net1
((SECONDS < 30)) # it does not wait for those who have the device open
ends 30 1 $server
holds server '.checks[2] | .id == "data" and .status == "fail" and (.reason | test("RDMA device was taken away"))'
ok plugin DEL "$(conf "$one")" one net1
((SECONDS < 60))
ends 30 1 $client
holds client '.checks[3] | .id == "transfer" and .status == "fail"'
grep -q IBV_EVENT_DEVICE_FATAL "$said/watch"
kill -0 $watch # it still has the descriptor of the device as it was in the pod
expect_same "$before" "$(snapshot | grep -vE '^namespace (one|two)$')"
attach # and that is in nobody's way
"$bin" --netns /run/netns/one >/dev/null
stop $watch
ok plugin DEL "$(conf "$one")" one net1
ok plugin DEL "$(conf "$two")" two net1
pod_del one two
expect_same "$before" "$(snapshot)"
