import { problemFailure } from './problem-failure.ts'
import { unreachable } from './unreachable.ts'

/**
 * One GET to the service at `base` whose answer is read while it comes.
 * @throws {Failure} where no answer came, or one that is no success
 */
export async function httpStream(
  base: URL,
  path: string,
  init: { readonly headers: Record<string, string>; readonly signal?: AbortSignal },
): Promise<Response> {
  const directory = base.href.endsWith('/') ? base.href : `${base.href}/`
  const answer = await fetch(new URL(path, directory), { ...init, redirect: 'manual' }).catch(
    (cause: unknown) => {
      throw unreachable(base, cause)
    },
  )
  if (answer.status === 200) return answer
  const body: unknown = await answer.json().catch(() => undefined)
  throw problemFailure({ status: answer.status, body })
}
