import { storedValue } from '../../format/stored-value.ts'
import { useCallsUrl } from '../calls-url.ts'
import { addressOf } from './address.ts'

const { useValue, set } = storedValue('hookline-ingest-address', (stored) =>
  addressOf(stored ?? ''),
)

export const setIngestAddress = set

/** The URL of the ingestion API for applications. Behind a proxy, the user must enter it. */
export function useIngestAddress(): string {
  const { url } = useCallsUrl()
  return useValue() ?? url
}
