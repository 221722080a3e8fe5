import { ApiProblem, unreachableProblem } from '../api/problem.ts'

/** A real call: it is stored and delivered. */
const TEST_CALL = {
  type: 'track',
  userId: 'test-user',
  event: 'Test Event',
  properties: { from: 'the console', total: 39.95 },
}

/** @throws {ApiProblem} unless the call is accepted */
export async function sendTestCall(url: string, writeKey: string): Promise<void> {
  const response = await fetch(`${url}/v1/track`, {
    method: 'POST',
    credentials: 'omit',
    headers: { 'content-type': 'application/json', authorization: `Basic ${btoa(`${writeKey}:`)}` },
    body: JSON.stringify({ ...TEST_CALL, messageId: `test-${crypto.randomUUID()}` }),
  }).catch(() => {
    throw unreachableProblem()
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
