import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Adapter, type AdapterPayload } from 'oidc-provider'

const CLIENT_ID = 'hookline'
const SIGNING_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  format: 'jwk',
})

export interface TokenEndpointOptions {
  readonly clientSecret: string
  readonly method?: 'client_secret_basic' | 'client_secret_post'
}

/** A real authorization server on loopback with one client, `hookline`, and the scope `hooks`. */
export class TokenEndpoint implements AsyncDisposable {
  requests = 0
  /** The issued tokens that are not revoked. */
  readonly #tokens = new Map<string, AdapterPayload>()
  issued = 0
  readonly #options: TokenEndpointOptions
  readonly #server = createServer()
  #provider: Provider | undefined

  constructor(options: TokenEndpointOptions) {
    this.#options = options
  }

  static async open(options: TokenEndpointOptions): Promise<TokenEndpoint> {
    const endpoint = new TokenEndpoint(options)
    await endpoint.#listen()
    return endpoint
  }

  get #origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The field `oauth2` of a webhook's `auth`. */
  get oauth2() {
    const { clientSecret } = this.#options
    return { tokenUrl: `${this.#origin}/token`, clientId: CLIENT_ID, clientSecret, scope: 'hooks' }
  }

  /** Whether the value of `Authorization` has a valid token with the scope. */
  async isValid(authorization = ''): Promise<boolean> {
    const [, token] = /^Bearer (.+)$/.exec(authorization) ?? []
    const found = token && (await this.#provider!.ClientCredentials.find(token))
    return typeof found === 'object' && found.isValid && found.scope === 'hooks'
  }

  revokeAll(): void {
    this.#tokens.clear()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  #adapter(): Adapter {
    const tokens = this.#tokens
    const none = async (): Promise<undefined> => undefined
    return {
      upsert: async (id, payload) => {
        this.issued += 1
        tokens.set(id, payload)
      },
      find: async (id) => tokens.get(id),
      destroy: async (id) => void tokens.delete(id),
      findByUserCode: none,
      findByUid: none,
      consume: none,
      revokeByGrantId: none,
    }
  }

  async #listen(): Promise<void> {
    const { clientSecret, method = 'client_secret_basic' } = this.#options
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#provider = new Provider(this.#origin, {
      clients: [
        {
          client_id: CLIENT_ID,
          client_secret: clientSecret,
          token_endpoint_auth_method: method,
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
          scope: 'hooks',
        },
      ],
      scopes: ['hooks'],
      features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
      ttl: { ClientCredentials: 600 },
      jwks: { keys: [SIGNING_KEY] },
      adapter: () => this.#adapter(),
    })
    const respond = this.#provider.callback()
    this.#server.on('request', (request, response) => {
      this.requests += 1
      void respond(request, response)
    })
  }
}
