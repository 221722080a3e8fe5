import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { deliveryQuery } from '../deliveries/delivery-query.ts'
import { ResponseQuote } from '../trace/response-quote.tsx'

/** The response to a delivery's last failed attempt, if it was stored. */
export function SampleResponse({ deliveryId }: { readonly deliveryId: string }): ReactElement {
  const { data } = useQuery({
    ...deliveryQuery(deliveryId),
    placeholderData: keepPreviousData,
    // When the failures change, the group has a different sample.
    refetchInterval: false,
  })
  const stored = data?.attempts.filter(({ body }) => body !== undefined) ?? []
  return <ResponseQuote attempts={stored} />
}
