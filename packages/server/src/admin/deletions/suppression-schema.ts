import { formatTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import type { SuppressionRecord } from '../../backend/deletions.ts'
import { nullable, time, timeOrNull } from '../api/schema-parts.ts'

/** A suppression as the API shows it. */
export const SuppressionResponse = Type.Object(
  {
    userId: Type.String(),
    sourceId: nullable(Type.String({ description: 'null: every source.' })),
    since: time,
    deletionId: Type.String({ description: 'The deletion that requested it.' }),
    callsLeftOut: Type.Integer({
      description: 'How many calls of the user got a 200 and were not kept.',
    }),
    lastLeftOutAt: nullable({ ...time, description: 'When the last of them arrived.' }),
  },
  { $id: 'Suppression' },
)

export function presentSuppression({ since, lastLeftOutAt, ...rest }: SuppressionRecord): object {
  return { ...rest, since: formatTimestamp(since), lastLeftOutAt: timeOrNull(lastLeftOutAt) }
}
