import { TemporaryFolder } from '../../../server/test/harness/temporary-folder.ts'
import { Hookline, type Run, run } from './hookline.ts'

/** A service for commands that speak to one. */
export class ApiService implements AsyncDisposable {
  readonly url: string
  /** The token in the file that the service keeps. */
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

  static async start(): Promise<ApiService> {
    await using stack = new AsyncDisposableStack()
    const folder = stack.use(new TemporaryFolder())
    const flags = ['--port', '0', '--data-dir', folder.path, '--log-level', 'silent', '--json']
    const service = stack.use(
      new Hookline(['start', ...flags, '--allowed-networks', '127.0.0.0/8']),
    )
    const ready = await service.document<{ url: string; tokenFile: string }>('ready')
    return new ApiService(ready, stack.move())
  }

  /** Runs a command against this service, as its administrator. */
  run(...args: readonly string[]): Promise<Run> {
    return run([...args, '--token-file', this.tokenFile], { env: { HOOKLINE_URL: this.url } })
  }

  /** The document that the command prints with `--json`. */
  async json<T = Record<string, unknown>>(...args: readonly string[]): Promise<T> {
    const { code, stdout, stderr } = await this.run(...args, '--json')
    if (code !== 0) throw new Error(`hookline ${args.join(' ')} exited ${code}: ${stderr}`)
    return JSON.parse(stdout) as T
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened[Symbol.asyncDispose]()
  }
}
