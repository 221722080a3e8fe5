import { formatTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import type { Subject, SuppressionRecord } from '../../backend/deletions.ts'
import { nullable, time, timeOrNull } from '../api/schema-parts.ts'

/** A suppression as the API shows it. */
export const SuppressionResponse = Type.Object(
  {
    userId: nullable(Type.String({ description: 'null for an anonymousId.' })),
    anonymousId: nullable(Type.String({ description: 'null for a userId.' })),
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

export function presentSuppression({
  kind,
  id,
  since,
  lastLeftOutAt,
  ...rest
}: SuppressionRecord): object {
  return {
    ...presentSubject({ kind, id }),
    ...rest,
    since: formatTimestamp(since),
    lastLeftOutAt: timeOrNull(lastLeftOutAt),
  }
}

/** Whom a suppression or a notice is about, as the API shows it. */
export function presentSubject({ kind, id }: Subject): object {
  const isUser = kind === 'user'
  return { userId: isUser ? id : null, anonymousId: isUser ? null : id }
}
