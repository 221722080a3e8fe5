import { DEADLINE_MS, unreachable } from './unreachable.ts'

/** What came back: the status, and the body parsed where it is JSON. */
export interface HttpAnswer {
  readonly status: number
  readonly body: unknown
}

/** One request to the service at `base`. @throws {Failure} `unreachable` where no answer came */
export async function httpCall(
  base: URL,
  path: string,
  init: { readonly method: string; readonly headers: Record<string, string>; body?: string },
): Promise<HttpAnswer> {
  const directory = base.href.endsWith('/') ? base.href : `${base.href}/`
  try {
    const answer = await fetch(new URL(path, directory), {
      ...init,
      redirect: 'manual',
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    return { status: answer.status, body: parsed(await answer.text()) }
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
