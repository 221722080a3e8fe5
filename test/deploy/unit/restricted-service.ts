import { eventually } from '@hookline/testing/run/eventually'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { REPOSITORY } from '@hookline/testing/repository'
import { exchange } from '@hookline/testing/network/http-exchange'
import { freePort } from '@hookline/testing/network/free-port'
import { environmentOf, permittedCalls } from './unit-file.ts'

export const TOKEN = 'tok_of_the_unit'

/** Applies ProtectSystem, ProtectProc, ProcSubset and CapabilityBoundingSet like systemd, only for the new process. */
const RESTRICT = `data=$1; shift
mount --bind "$data" "$data"
mount -o remount,bind,ro /
mount -t proc -o subset=pid,hidepid=invisible proc /proc
exec setpriv --no-new-privs --inh-caps=-all --bounding-set=-all "$@"`

/**
 * Runs the service with the environment and the main restrictions of deploy/hookline.service, without systemd. As under systemd,
 * system calls that the unit does not permit fail with EPERM.
 */
export class RestrictedService implements AsyncDisposable {
  stderr = ''
  readonly url: string
  readonly adminUrl: string
  readonly #child: ChildProcess
  readonly #folder: TemporaryFolder

  private constructor(folder: TemporaryFolder, ports: readonly [number, number]) {
    this.#folder = folder
    const [port, adminPort] = ports
    this.url = `http://127.0.0.1:${port}`
    this.adminUrl = `http://127.0.0.1:${adminPort}`
    const shell = ['sh', '-ec', RESTRICT, 'sh', folder.path, ...tracer(this.#calls)]
    const hookline = [process.execPath, `${REPOSITORY}packages/cli/bin/hookline.js`, 'start']
    this.#child = spawn('unshare', ['--mount', ...shell, ...hookline], {
      env: {
        ...environmentOf(credentialsIn(folder)),
        HOOKLINE_DATA_DIR: join(folder.path, 'data'),
        HOOKLINE_PORT: String(port),
        HOOKLINE_ADMIN_PORT: String(adminPort),
        HOOKLINE_ALLOWED_NETWORKS: '127.0.0.0/8',
        PATH: process.env['PATH'],
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#child.stderr!.on('data', (text: Buffer) => (this.stderr += text.toString()))
  }

  static async start(): Promise<RestrictedService> {
    const ports = [await freePort(), await freePort()] as const
    await using stack = new AsyncDisposableStack()
    const service = stack.use(new RestrictedService(new TemporaryFolder(), ports))
    await eventually(() => service.#ready())
    stack.move()
    return service
  }

  /** @throws unless the service accepts calls */
  async #ready(): Promise<void> {
    const { status } = await exchange(`${this.adminUrl}/readyz`, { method: 'GET' }).catch(() => {
      throw new Error(`The service does not respond: ${this.stderr}`)
    })
    if (status !== 200) throw new Error(`/readyz responds with ${status}`)
  }

  /** Stops the service with SIGTERM. Resolves with its exit code. */
  async stop(): Promise<number | null> {
    const exited = once(this.#child, 'exit')
    // The tracer does not forward signals.
    const { pid } = this.#child
    const traced = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    process.kill(Number(traced), 'SIGTERM')
    await exited
    return this.#child.exitCode
  }

  /** The families of opened sockets, such as AF_INET. */
  socketFamilies(): string[] {
    return this.#traced(/ socket\((AF_\w+)/g)
  }

  /** The forbidden system calls that the service has made. */
  refusedCalls(): string[] {
    return this.#traced(/ (\w+)\(.*\(INJECTED\)$/gm)
  }

  #traced(pattern: RegExp): string[] {
    const matches = readFileSync(this.#calls, 'utf8').matchAll(pattern)
    return [...new Set([...matches].map(([, name]) => name!))].toSorted()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.stop()
    this.#folder[Symbol.dispose]()
  }

  get #calls(): string {
    return join(this.#folder.path, 'calls')
  }
}

/** Makes forbidden system calls fail, and logs them and opened sockets to a file. */
function tracer(file: string): string[] {
  // The question mark permits calls that this machine does not have.
  const permitted = [...permittedCalls()].map((name) => `?${name}`)
  const untraced = permitted.filter((name) => name !== '?socket')
  const trace = ['-e', `trace=!${untraced.join(',')}`]
  return ['strace', '-f', '-qq', '--seccomp-bpf', '-o', file, ...trace, ...failing(permitted)]
}

function failing(permitted: readonly string[]): string[] {
  return ['-e', `inject=!${permitted.join(',')}:error=EPERM`]
}

function credentialsIn({ path }: TemporaryFolder): string {
  writeFileSync(join(path, 'admin-token'), TOKEN)
  writeFileSync(join(path, 'encryption-key'), Buffer.alloc(32, 7).toString('base64'))
  return path
}
