import { formatTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import type { Sync, SyncReason } from '../../backend/syncs.ts'
import { nullable, time, timeOrNull } from '../api/schema-parts.ts'

const REASONS = [
  'created',
  'changed',
  'requested',
  'daily',
  'deleted',
] as const satisfies readonly SyncReason[]

const STATES = ['waiting', 'running', 'done', 'failed'] as const satisfies readonly Sync['state'][]

/** A sync as the API shows it. */
export const SyncResponse = Type.Object(
  {
    id: Type.String(),
    reason: Type.Enum([...REASONS]),
    state: Type.Enum([...STATES], {
      description:
        'waiting: others run before it, or stored events are counted first. running: profiles are evaluated.',
    }),
    createdAt: time,
    startedAt: nullable(time),
    finishedAt: nullable(time),
    looked: Type.Integer({ description: 'Profiles that it has looked at.' }),
    entered: Type.Integer({
      description:
        'Profiles that got a value, or another one. A sync with the reason created or changed also counts those that were evaluated in real time before it was done.',
    }),
    left: Type.Integer({
      description: 'Profiles that lost their value. It counts as entered does.',
    }),
    missed: Type.Integer({
      description:
        'Changes that evaluation in real time had missed. More than 0 is a bug in Hookline.',
    }),
    error: nullable(Type.String({ description: 'Why it failed.' })),
  },
  { $id: 'Sync' },
)

/** The sync as the API shows it. */
export function presentSync(sync: Sync): object {
  const { id, reason, state, createdAt, startedAt, finishedAt } = sync
  const { looked, entered, left, missed, error } = sync
  return {
    id,
    reason,
    state,
    createdAt: formatTimestamp(createdAt),
    startedAt: timeOrNull(startedAt),
    finishedAt: timeOrNull(finishedAt),
    looked,
    entered,
    left,
    missed,
    error,
  }
}
