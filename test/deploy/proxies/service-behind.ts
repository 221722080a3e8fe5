import { createLogger, openService, parseConfig, type Service } from '@hookline/server'
import { readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { TestContext } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import type { ReceivedResponse, SentRequest } from '@hookline/testing/network/http-exchange'
import { ManagementApi } from '@hookline/testing/service/management-api'
import { needPrograms } from '../programs.ts'
import { exchangeHttps, openHttps } from './https-exchange.ts'
import { type PrepareProxy, Proxy } from './proxy.ts'

const TOKEN = 'tok_behind_a_proxy'

/** A service with a source behind a reverse proxy. The proxy must hide the non-public parts. */
export class ServiceBehind implements AsyncDisposable {
  readonly #opened: AsyncDisposable
  readonly #service: Service
  readonly #proxy: Proxy
  readonly #folder: TemporaryFolder
  readonly api: ManagementApi
  writeKey = ''

  private constructor(
    opened: AsyncDisposable,
    service: Service,
    proxy: Proxy,
    folder: TemporaryFolder,
  ) {
    this.#opened = opened
    this.#folder = folder
    this.#service = service
    this.#proxy = proxy
    this.api = new ManagementApi(service.url, TOKEN)
  }

  static async start(
    context: TestContext,
    name: string,
    prepare: PrepareProxy,
  ): Promise<ServiceBehind> {
    needPrograms(context, name)
    await using stack = new AsyncDisposableStack()
    const folder = stack.use(new TemporaryFolder())
    const flags = { port: '0', dataDir: `${folder.path}/data`, adminToken: TOKEN }
    const config = parseConfig({}, { ...flags, trustedProxies: '127.0.0.1/32' })
    const service = stack.use(await openService({ config, logger: createLogger('silent') }))
    const port = Number(new URL(service.url).port)
    const proxy = stack.use(await Proxy.start(await prepare(folder, { port, adminPort: port })))
    const behind = new ServiceBehind(stack.move(), service, proxy, folder)
    const source = await behind.api.call<{ writeKeys: { key: string }[] }>('POST', 'sources', {
      name: 'Shop',
    })
    behind.writeKey = source.writeKeys[0]!.key
    return behind
  }

  /** The URL of the service itself. */
  get url(): string {
    return this.#service.url
  }

  /** The host of the proxy, as a browser sends it. */
  get host(): string {
    return `localhost:${this.#proxy.calls.port}`
  }

  /** Sends a public request through the proxy. */
  call(path: string, sent?: SentRequest): Promise<ReceivedResponse> {
    return exchangeHttps(this.#proxy.calls, path, sent)
  }

  /** Sends an operator's request, with the admin token. */
  administer(
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<IncomingMessage> {
    const authorization = { Authorization: `Bearer ${TOKEN}` }
    return openHttps(this.#proxy.admin, path, { headers: { ...authorization, ...headers } })
  }

  /** Stops the proxy. Resolves with its logs: the error output and the files. */
  async stopProxy(): Promise<string> {
    const output = await this.#proxy.stop()
    const { path } = this.#folder
    const files = readdirSync(path).filter((file) => file.endsWith('.log'))
    return [output, ...files.map((file) => readFileSync(join(path, file)))].join('\n')
  }

  /** Stops only the service. */
  async stop(): Promise<void> {
    await this.#service[Symbol.asyncDispose]()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened[Symbol.asyncDispose]()
  }
}
