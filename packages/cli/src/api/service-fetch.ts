import { SUCCESS_CODES } from '@oazapfts/runtime'
import { DEADLINE_MS, unreachable } from './connection-failure.ts'
import { problemFailure } from './problem-failure.ts'

export interface StreamOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/**
 * `fetch` for the generated client, with a deadline. It reads the whole body, because the client treats a
 * broken body as an empty one. @throws {Failure} unless the response is a success of Hookline's API
 */
export function serviceFetch(base: URL): typeof fetch {
  return async (url, init) => {
    const { status, text } = await responseOf(base, url, init)
    const body = parsed(text)
    const hasBody = status !== 204
    const isSuccess = SUCCESS_CODES.some((code) => code === status)
    if (!isSuccess || (hasBody && body === undefined)) throw problemFailure(status, body)
    // The client relies on the content type, which a proxy may have changed.
    return hasBody ? Response.json(body, { status }) : new Response(null, { status })
  }
}

/** One GET whose response is read while it arrives. @throws {Failure} unless the response is 200 */
export async function openStream(base: URL, url: URL, options: StreamOptions): Promise<Response> {
  const response = await fetch(url, { ...options, redirect: 'manual' }).catch((cause: unknown) => {
    throw unreachable(base, cause)
  })
  if (response.status === 200) return response
  throw problemFailure(response.status, parsed(await response.text().catch(() => '')))
}

async function responseOf(
  base: URL,
  url: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const signal = AbortSignal.timeout(DEADLINE_MS)
    const response = await fetch(url, { ...init, redirect: 'manual', signal })
    return { status: response.status, text: await response.text() }
  } catch (cause) {
    throw unreachable(base, cause)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
