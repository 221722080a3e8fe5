import { optimistic } from '@oazapfts/runtime'
import { SERVICE_URL } from './addresses.ts'
import * as operations from '@hookline/cli/management-client'
import { ApiProblem, unreachableProblem } from './problem.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD'])

let csrfToken: string | null = null
let onSignedOut: () => void = () => undefined

/** The CSRF token from `GET /session`, required for changes. */
export function setCsrfToken(token: string | null): void {
  csrfToken = token
}

/** Calls `listener` when the session has expired. */
export function onSessionLost(listener: () => void): void {
  onSignedOut = listener
}

/** `fetch` with the CSRF token. Throws an `ApiProblem` unless the response is successful. */
export async function serviceFetch(
  input: RequestInfo | URL,
  init: RequestInit = {},
): Promise<Response> {
  const headers = new Headers(init.headers)
  const isChange = !SAFE_METHODS.has(init.method ?? 'GET')
  // Otherwise, the browser logs an error for each record that does not exist.
  if (!isChange) headers.set('prefer', 'status=200')
  if (isChange && csrfToken !== null) headers.set('x-csrf-token', csrfToken)
  const response = await fetch(input, { ...init, headers, credentials: 'same-origin' }).catch(
    (error: unknown) => {
      if (init.signal?.aborted) throw error
      throw unreachableProblem()
    },
  )
  if (response.ok && !response.headers.has('preference-applied')) return response
  const problem = (await response.json().catch(() => ({}))) as { readonly status?: number }
  const { status = response.status } = problem
  // A 401 is expected from the sign-in and from `GET /session`.
  if (status === 401 && !/\/sessions?$/.test(response.url)) onSignedOut()
  throw new ApiProblem(status, problem, Number(response.headers.get('retry-after')) || undefined)
}

Object.assign(operations.defaults, { baseUrl: SERVICE_URL, fetch: serviceFetch })

/**
 * The management API: one operation for each operationId. Each resolves to the response body.
 * @throws {ApiProblem} if the response is not successful
 */
export const api = optimistic(operations)
