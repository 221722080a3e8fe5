import type { Audience, ComputedTrait } from '../../api/generated/management-client.ts'
import { durationText, formatCount } from '../figures.ts'
import type { Output } from '../output.ts'
import type { Column } from '../table.ts'
import { details } from '../details.ts'

export type Computation = Audience | ComputedTrait

export const COMPUTATION_COLUMNS: readonly Column<Computation>[] = [
  { head: 'id', cell: ({ id }) => id },
  { head: 'name', cell: ({ name }) => name, long: 'cut' },
  { head: 'key', cell: ({ key }) => key, long: 'cut', rank: 1 },
  { head: 'space', cell: ({ space }) => space, long: 'cut', rank: 2 },
  { head: 'state', cell: stateText },
  { head: 'users', cell: ({ size }) => formatCount(size) },
  { head: 'destinations', cell: ({ destinationIds }) => `${destinationIds.length}`, rank: 3 },
]

export function computationDetails(output: Output, record: Computation): string {
  const { id, name, key, space, reason, size, destinationIds, reachesBackTo } = record
  return details(output, [
    ['id', id],
    ['name', name],
    ['key', key],
    ['space', space],
    ['state', reason === null ? stateText(record) : `${stateText(record)}: ${reason}`],
    ['users', formatCount(size)],
    ['last sync', lastSyncText(record)],
    reachesBackTo !== null && ['based on', `events received since ${reachesBackTo}`],
    ['destinations', destinationIds.join(' ') || 'none'],
    definitionEntry(record),
  ])
}

/** `preparing, backfilling 42%` */
function stateText({ state, progress }: Computation): string {
  if (progress === null) return state
  const { step, done, total } = progress
  const percent = Math.floor((done / Math.max(1, total)) * 100)
  return `${state}, ${step} ${percent}%`
}

function lastSyncText({ lastSync, sync }: Computation): string {
  const next = sync === null ? '' : `; next: ${sync.state}`
  if (lastSync === null) return `none yet${next}`
  const { finishedAt, startedAt, state, entered, left, missed, error } = lastSync
  const took = Date.parse(finishedAt ?? '') - Date.parse(startedAt ?? '')
  const parts = [
    `${state} ${finishedAt ?? ''}`.trim(),
    ...(Number.isNaN(took) ? [] : [`took ${durationText(took / 1000)}`]),
    `${formatCount(entered)} entered`,
    `${formatCount(left)} left`,
    ...(missed > 0
      ? [`${formatCount(missed)} missed by real-time evaluation (a bug in Hookline)`]
      : []),
    ...(error === null ? [] : [error]),
  ]
  return `${parts.join(', ')}${next}`
}

function definitionEntry(record: Computation): readonly [string, string] {
  if ('compute' in record) return ['compute', JSON.stringify(record.compute)]
  if (record.condition === null)
    return ['members', 'manual list; add users with `hookline audiences import`']
  return ['condition', JSON.stringify(record.condition)]
}
