# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
# Follows packaging/image/Containerfile without a container engine: its stages become directories. To be sourced.
# What it does not do is install the packages (their list is compared with the set-up's instead): the build stage's
# commands run here, with /src, /build and /out below a directory of their own.

containerfile=$REPO/packaging/image/Containerfile

# One instruction a line: comments away, continued lines joined.
instructions() {
	sed -e '/^#/d' -e ':join' -e '/\\$/{N;s/\\\n[[:blank:]]*//;b join' -e '}' -e '/^$/d' "$containerfile"
}

build_stage_packages() {
	instructions | sed -n 's/^RUN apt-get update .*--no-install-recommends *//p' | tr -s ' ' '\n'
}

# copy_in FROM-ROOT TO-ROOT SOURCE… DESTINATION: a COPY; of a directory the content is copied, not the directory.
copy_in() {
	local from=$1 to=$2${*: -1} source
	for source in "${@:3:$#-3}"; do
		if [[ -d $from/$source ]]; then
			mkdir -p "$to"
			cp -a "$from/$source/." "$to"
		else
			mkdir -p "$(dirname "${to}x")"
			cp -p "$from/$source" "$to"
		fi
	done
}

# build_image DIR: stages[NAME] are directories below DIR, entrypoints[NAME] JSON arrays; the last stage is `final`.
declare -A stages entrypoints
build_image() {
	local work=$1 stage="" word args
	while read -r word args; do
		# shellcheck disable=SC2086 # the arguments are words
		case $word in
		FROM) begin_stage "$work" $args ;;
		COPY) copy "$work" $args ;;
		RUN) [[ $args == "apt-get update"* ]] || run_in_build "$work" "$args" ;;
		ENTRYPOINT) entrypoints[$stage]=$args ;;
		*) fail "Containerfile: $word is not understood here" ;;
		esac
	done < <(instructions)
}

begin_stage() { # WORK BASE [AS NAME]
	stage=${4:-final}
	stages[$stage]=$1/$stage
	mkdir -p "$1/$stage"
	[[ ! -v stages[$2] || $2 == "$stage" ]] || cp -a "${stages[$2]}/." "$1/$stage/"
}

copy() { # WORK [--from=STAGE] SOURCE… DESTINATION
	local from=$REPO
	shift
	if [[ $1 == --from=* ]]; then
		from=${stages[${1#--from=}]}
		shift
	fi
	copy_in "$from" "${stages[$stage]}" "$@"
}

run_in_build() { # WORK COMMAND
	[[ $stage == build ]] || fail "Containerfile: RUN in the stage $stage, which has no shell"
	bash -euc "$(sed -E "s,(^|[ =])/(src|build|out)\b,\1$1/build/\2,g" <<<"$2")"
}
