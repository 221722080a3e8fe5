import Type, { type TProperties } from 'typebox'
import type { PreviewResult } from '../../audiences/preview.ts'
import { DEFAULT_SPACE_TEXT, nullable, spaceField, timeOrNull } from '../api/schema-parts.ts'
import { reachesBackTo } from './computation-status.ts'

/** The body of a request for a preview. */
export function previewBody(definition: TProperties) {
  return Type.Object(
    {
      space: Type.Optional(
        spaceField(`The space whose profiles are looked at; ${DEFAULT_SPACE_TEXT}`),
      ),
      ...definition,
    },
    { additionalProperties: false },
  )
}

/** A preview as the API shows it. */
export const PreviewResponse = Type.Object({
  size: Type.Integer({ description: 'How many profiles would have a value.' }),
  isExact: Type.Boolean({
    description:
      'false: there are more than 100,000 profiles, and size is estimated from some of them; or profiles do not have all stored events yet: try again.',
  }),
  sample: Type.Array(
    Type.Object({
      userId: nullable(Type.String({ description: 'null: no event has named a userId yet.' })),
      value: Type.Unsafe({ description: 'true for a member of an audience.' }),
    }),
  ),
  reachesBackTo,
})

/** The preview as the API shows it. */
export function presentPreview({ reachesBackTo: from, ...rest }: PreviewResult): object {
  return { ...rest, reachesBackTo: timeOrNull(from) }
}
