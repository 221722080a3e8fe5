import { isJsonObject } from '@hookline/protocol'
import { notHookline } from '../api/connection-failure.ts'

/**
 * `fetch` for the client library, which treats every 2xx as a success. With a mistyped `--url`, a web server
 * that responds 200 to everything would make a whole import count as delivered.
 * @throws {Failure} if a 2xx response does not come from Hookline
 */
export async function ingestFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  if (!response.ok) return response
  const text = await response.text()
  if (!isSuccess(text)) throw notHookline(response.status)
  return new Response(text, response)
}

function isSuccess(text: string): boolean {
  try {
    const body: unknown = JSON.parse(text)
    return isJsonObject(body) && body['success'] === true
  } catch {
    return false
  }
}
