import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { shownText } from '../../format/shown-text.ts'
import { deliveryQuery } from '../deliveries/delivery-query.ts'

const MOST_CHARACTERS = 300

/** The beginning of what the receiver responded to the newest delivery of a group: receivers often name the cause themselves. */
export function SampleResponse({
  deliveryId,
}: {
  readonly deliveryId: string
}): ReactElement | null {
  const { data } = useQuery({ ...deliveryQuery(deliveryId), placeholderData: keepPreviousData })
  const body = data?.attempts.findLast((attempt) => attempt.outcome !== 'delivered')?.body?.trim()
  if (body === undefined || body === '') return null
  return (
    <p className="text-dense text-ink-soft min-w-0">
      It responded{' '}
      <code className="bg-sunken rounded-small px-1 break-all">
        {shownText(body, MOST_CHARACTERS)}
      </code>
    </p>
  )
}
