import { useQuery } from '@tanstack/react-query'
import { SERVICE_URL } from '../api/addresses.ts'
import { systemQuery } from './system.ts'

/** Where client libraries send calls to. */
export interface CallsUrl {
  /** Without a slash at its end. */
  readonly url: string
  /** Whether this page may send calls there itself: with `adminPort`, calls have an address of their own. */
  readonly isHere: boolean
}

/** The address of the ingestion API, as this browser would reach it. */
export function useCallsUrl(): CallsUrl {
  const { data } = useQuery(systemQuery)
  const here = SERVICE_URL.replace(/\/$/, '')
  const port = data?.callsPort ?? null
  if (port === null) return { url: here, isHere: true }
  return { url: `${location.protocol}//${location.hostname}:${port}`, isHere: false }
}
