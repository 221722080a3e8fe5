import { expect } from 'vitest'
import type { AdminDeps } from '../../../src/admin/routes.ts'
import { AdminServer, type ApiResponse } from '../admin-server.ts'
import type { ProblemDocument } from '../problem-document.ts'

export interface CurrentSession {
  readonly kind: string
  readonly id: string
  readonly name: string
  readonly role: string
  readonly csrfToken: string
}
/** A browser: it keeps the cookie, and has no token. */
export class Browser {
  readonly #server: AdminServer
  cookie = ''
  csrfToken = ''

  constructor(server: AdminServer) {
    this.#server = server
  }

  async call<T = ProblemDocument>(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiResponse<T>> {
    const answer = await this.#server.call<T>(method, path, {
      withoutToken: true,
      headers: {
        ...(this.cookie && { cookie: this.cookie }),
        ...(this.csrfToken && { 'x-csrf-token': this.csrfToken }),
        ...headers,
      },
      ...(body && { body }),
    })
    const set = answer.headers.get('set-cookie')
    if (set !== null) this.cookie = set.split(';')[0]!
    return answer
  }

  async signIn(body: object): Promise<ApiResponse<CurrentSession>> {
    const answer = await this.call<CurrentSession>('POST', '/sessions', body)
    this.csrfToken = answer.body.csrfToken
    return answer
  }
}

/** The code of a new sign-in link. */
export async function codeOf(server: AdminServer, body: object = {}): Promise<string> {
  const { path } = await server.must<{ path: string }>('POST', '/sign-in-links', { body })
  expect(path).toMatch(/^\/console\/sign-in#[\w-]{43}$/)
  return path.split('#')[1]!
}

/** A server, and a browser that is signed in. */
export async function signedIn(
  overrides: Partial<AdminDeps> = {},
  body: object = {},
): Promise<{ server: AdminServer; browser: Browser } & AsyncDisposable> {
  const server = await AdminServer.open(overrides)
  const browser = new Browser(server)
  await browser.signIn({ code: await codeOf(server, body) })
  return { server, browser, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}
