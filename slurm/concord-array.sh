#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# concord-array.sh: one part of a run for each task of a Slurm job array.
#
#   sbatch --array=1-16 concord-array.sh FOLDER [OPTION OF concord run ...]
#
# FOLDER, which all nodes share, gets TASK.json and its journal. A task that is requeued, because its
# node was lost, goes on where the journal ends. docs/results.md#slurm explains what to do then.
#SBATCH --job-name=concord
#SBATCH --requeue
#SBATCH --open-mode=append
set -eu

if [ $# -lt 1 ] || [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; then
    echo "usage: sbatch --array=1-N $0 FOLDER [OPTION OF concord run ...]" >&2
    exit 2
fi
folder=$1
shift
mkdir -p "$folder"
exec "${CONCORD:-concord}" run "$@" --shard auto --out "$folder/$SLURM_ARRAY_TASK_ID.json" --resume
