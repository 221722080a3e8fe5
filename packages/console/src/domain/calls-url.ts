import { useQuery } from '@tanstack/react-query'
import { SERVICE_URL } from '../api/addresses.ts'
import { systemQuery } from './system.ts'

export interface CallsUrl {
  /** Without a final slash. */
  readonly url: string
  /** Whether this page can send calls there. With `adminPort`, calls use a different port. */
  readonly isHere: boolean
}

/** The URL of the ingestion API for this browser. */
export function useCallsUrl(): CallsUrl {
  const { data } = useQuery(systemQuery)
  const here = SERVICE_URL.replace(/\/$/, '')
  const port = data?.callsPort ?? null
  if (port === null) return { url: here, isHere: true }
  return { url: `${location.protocol}//${location.hostname}:${port}`, isHere: false }
}
