import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { deliveryQuery } from '../deliveries/delivery-query.ts'
import { ResponseQuote } from '../trace/response-quote.tsx'

/** What the receiver responded to the newest delivery of a group. */
export function SampleResponse({ deliveryId }: { readonly deliveryId: string }): ReactElement {
  const { data } = useQuery({ ...deliveryQuery(deliveryId), placeholderData: keepPreviousData })
  return <ResponseQuote attempts={data?.attempts ?? []} />
}
