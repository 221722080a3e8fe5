import { TemporaryFolder } from '../files/temporary-folder.ts'
import { Hookline, type Run, run } from './hookline.ts'

/** A running service, for tests of commands that use the management API. */
export class ApiService implements AsyncDisposable {
  readonly url: string
  readonly tokenFile: string
  readonly #opened: AsyncDisposable

  constructor(
    ready: { readonly url: string; readonly tokenFile: string },
    opened: AsyncDisposable,
  ) {
    this.url = ready.url
    this.tokenFile = ready.tokenFile
    this.#opened = opened
  }

  static async start(...more: readonly string[]): Promise<ApiService> {
    await using stack = new AsyncDisposableStack()
    const folder = stack.use(new TemporaryFolder())
    const flags = ['--port', '0', '--data-dir', folder.path, '--log-level', 'silent', '--json']
    const service = stack.use(
      new Hookline(['start', ...flags, '--allowed-networks', '127.0.0.0/8', ...more]),
    )
    const ready = await service.document<{ url: string; tokenFile: string }>('ready')
    return new ApiService(ready, stack.move())
  }

  /** Runs a command against this service, with its admin token. */
  run(...args: readonly string[]): Promise<Run> {
    return run([...args, '--token-file', this.tokenFile], { env: { HOOKLINE_URL: this.url } })
  }

  /** Runs a command with `--json`, and returns the printed document. */
  async json<T = Record<string, unknown>>(...args: readonly string[]): Promise<T> {
    const { code, stdout, stderr } = await this.run(...args, '--json')
    if (code !== 0) throw new Error(`hookline ${args.join(' ')} exited ${code}: ${stderr}`)
    return JSON.parse(stdout) as T
  }

  /** Creates a source with an enabled destination whose webhook fails immediately, and sends a call for user u1. */
  async failingDestination(): Promise<{ source: string; destination: string; writeKey: string }> {
    const source = await this.json<{ id: string; writeKeys: { key: string }[] }>(
      'sources',
      'create',
      'Shop',
    )
    // No program listens on this port.
    const webhook = ['--webhook', 'http://127.0.0.1:2/', '--secret', 'planted shared secret']
    const args = ['--source', source.id, ...webhook, '--enabled']
    const destination = await this.json<{ id: string }>('destinations', 'create', ...args)
    const writeKey = source.writeKeys[0]!.key
    await this.json('send', 'track', 'Order Completed', '--user', 'u1', '--write-key', writeKey)
    return { source: source.id, destination: destination.id, writeKey }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened[Symbol.asyncDispose]()
  }
}
