import { optimistic } from '@oazapfts/runtime'
import { SERVICE_URL } from './addresses.ts'
import * as operations from '@hookline/cli/management-client'
import { ApiProblem, problemOf } from './problem.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD'])

let csrfToken: string | null = null
let onSignedOut: () => void = () => undefined

/** Changes need this token beside the cookie of the session (`GET /session` has it). */
export function setCsrfToken(token: string | null): void {
  csrfToken = token
}

/** Calls `listener` when the service does not know the session any longer. */
export function onSessionLost(listener: () => void): void {
  onSignedOut = listener
}

/** `fetch` for the management API: with the CSRF token, and an `ApiProblem` for every response that is no success. */
export async function serviceFetch(
  input: RequestInfo | URL,
  init: RequestInit = {},
): Promise<Response> {
  const headers = new Headers(init.headers)
  const isChange = !SAFE_METHODS.has(init.method ?? 'GET')
  if (isChange && csrfToken !== null) headers.set('x-csrf-token', csrfToken)
  const response = await fetch(input, { ...init, headers, credentials: 'same-origin' }).catch(
    (error: unknown) => {
      if (init.signal?.aborted) throw error
      throw problemOf(error)
    },
  )
  if (response.ok) return response
  // The sign-in and the question for the session get a 401 as their result.
  if (response.status === 401 && !/\/sessions?$/.test(response.url)) onSignedOut()
  const problem = (await response.json().catch(() => ({}))) as object
  throw new ApiProblem(response.status, problem)
}

Object.assign(operations.defaults, { baseUrl: SERVICE_URL, fetch: serviceFetch })

/**
 * The management API: every operation of its OpenAPI document, by its operationId. Each resolves with the body of a
 * successful response.
 * @throws {ApiProblem} for every other response
 */
export const api = optimistic(operations)
