import { ApiProblem, problemOf } from '../api/problem.ts'

/** A call that a person sends by a click. It is a real one: it is kept, and delivered. */
const TEST_CALL = {
  type: 'track',
  userId: 'test-user',
  event: 'Test Event',
  properties: { from: 'the console', total: 39.95 },
}

/**
 * Sends a call to the ingestion API, as a client library does.
 * @throws {ApiProblem} if it was refused
 */
export async function sendTestCall(url: string, writeKey: string): Promise<void> {
  const response = await fetch(`${url}/v1/track`, {
    method: 'POST',
    credentials: 'omit',
    headers: { 'content-type': 'application/json', authorization: `Basic ${btoa(`${writeKey}:`)}` },
    body: JSON.stringify({ ...TEST_CALL, messageId: `test-${crypto.randomUUID()}` }),
  }).catch((error: unknown) => {
    throw problemOf(error)
  })
  if (response.ok) return
  const { code, message } = (await response.json().catch(() => ({}))) as {
    code?: string
    message?: string
  }
  throw new ApiProblem(response.status, {
    ...(code !== undefined && { code }),
    ...(message !== undefined && { detail: message }),
  })
}
