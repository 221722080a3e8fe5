import { isJsonObject } from '@hookline/protocol'
import { foreignAnswer } from '../api/foreign-answer.ts'

/**
 * `fetch` for the client library, which takes every 2xx for success. A mistyped --url leads to some web
 * server that says 200 to everything, and a whole import would count as delivered.
 * @throws {Failure} for a success that is not Hookline's
 */
export async function hooklineFetch(url: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, init)
  if (!answer.ok) return answer
  const text = await answer.text()
  if (!isSuccess(text)) throw foreignAnswer(answer.status)
  return new Response(text, answer)
}

function isSuccess(text: string): boolean {
  try {
    const body: unknown = JSON.parse(text)
    return isJsonObject(body) && body['success'] === true
  } catch {
    return false
  }
}
