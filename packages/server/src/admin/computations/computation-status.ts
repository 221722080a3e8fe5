import type { Computation } from '@hookline/protocol'
import Type from 'typebox'
import type { ComputationState, ComputationStatus } from '../../audiences/computation-status.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { nullable, orNull, time, timeOrNull } from '../api/schema-parts.ts'
import { componentSchema } from '../problems/responses.ts'
import { presentSync } from './sync-schema.ts'

const STATES = [
  'preparing',
  'live',
  'paused',
  'disabled',
  'failed',
] as const satisfies readonly ComputationState[]

/** Since when events are known, for responses. */
export const reachesBackTo = nullable({
  ...time,
  description:
    'It counts events that were received at this time or later: older ones were no longer stored when it was created. null: it counts no events.',
})

/** The fields of an audience or a computed trait that the workers determine. */
export const statusFields = {
  state: Type.Enum([...STATES], {
    description:
      'preparing: its first sync, or the one after a change, is not done. live: it follows each event. paused: each of its destinations is off, so nobody is told. disabled: nothing is computed or sent. failed: see reason.',
  }),
  reason: nullable(Type.String({ description: 'Why it is in this state.' })),
  size: Type.Integer({ description: 'Profiles that belong to it, or have a value.' }),
  progress: nullable(
    Type.Object(
      {
        step: Type.Enum(['filling', 'evaluating', 'announcing'], {
          description:
            'filling: stored events are counted. evaluating: profiles are evaluated. announcing: users are told their value.',
        }),
        done: Type.Integer({ description: 'Events, profiles or users that are done.' }),
        total: Type.Integer({ description: 'Of how many.' }),
      },
      { description: 'How far the sync is; null if there is none.' },
    ),
  ),
  sync: orNull(componentSchema('Sync'), 'The sync that waits or runs.'),
  lastSync: orNull(componentSchema('Sync'), 'The last sync that ended.'),
  reachesBackTo,
}

/** The status of each of these records, by id. */
export async function readStatuses(
  records: readonly Computation[],
  { computations }: Pick<AdminDeps, 'computations'>,
): Promise<ReadonlyMap<string, ComputationStatus>> {
  if (records.length === 0) return new Map()
  const statuses = await computations.statusesOf(records)
  return new Map(records.map(({ id }, index) => [id, statuses[index]!]))
}

/** The status as the API shows it. */
export function presentStatus(status: ComputationStatus): object {
  const { state, reason, size, progress, sync, lastSync } = status
  return {
    state,
    reason,
    size,
    progress,
    sync: sync && presentSync(sync),
    lastSync: lastSync && presentSync(lastSync),
    reachesBackTo: timeOrNull(status.reachesBackTo),
  }
}
