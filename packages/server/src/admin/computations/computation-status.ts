import type { Computation } from '@hookline/protocol'
import Type from 'typebox'
import {
  type AdminDeps,
  COMPUTATION_STATES,
  type ComputationStatus,
  PROGRESS_STEPS,
} from '../api/admin-deps.ts'
import { nullable, nullableComponent, time, timeOrNull } from '../api/schema-parts.ts'
import { componentSchema } from '../problems/responses.ts'
import { presentSync } from './sync-schema.ts'

/** When the oldest event was received that a count may know; for responses. */
export const reachesBackTo = nullable({
  ...time,
  description:
    'Events that were received before this time were no longer stored when it was created, so it does not count them. null: it counts every event.',
})

/** The fields of an audience or a computed trait that the workers determine. */
export const statusFields = {
  state: Type.Enum([...COMPUTATION_STATES], {
    description:
      'preparing: its first sync is not done. live: it follows each event. paused: changes wait. disabled: nothing is computed or sent. failed: see reason.',
  }),
  reason: nullable(Type.String({ description: 'Why it is in this state.' })),
  size: Type.Integer({ description: 'Profiles that belong to it, or have a value.' }),
  progress: nullable(
    Type.Object(
      {
        step: Type.Enum([...PROGRESS_STEPS], {
          description:
            'filling: stored events are counted. evaluating: profiles are evaluated. announcing: users are announced.',
        }),
        done: Type.Integer({ description: 'How much of total is done.' }),
        total: Type.Integer(),
      },
      { description: 'How far the sync that runs is; null if none runs.' },
    ),
  ),
  sync: nullableComponent(componentSchema('Sync'), 'The sync that waits or runs.'),
  lastSync: nullableComponent(componentSchema('Sync'), 'The last sync that ended.'),
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
