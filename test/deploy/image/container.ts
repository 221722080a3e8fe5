import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, readFileSync } from 'node:fs'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { outputOf } from '../programs.ts'
import type { BuiltImage } from './built-image.ts'

/** Mounts as an engine does for `--read-only`, with a volume. Only the new process sees the mounts. */
const ENTER = `root=$1 volume=$2 owner=$3; shift 3
mount --bind "$root" "$root" && mount -o remount,bind,ro "$root"
mount --bind "$volume" "$root/data" && mount -t proc proc "$root/proc" && mount --bind /dev "$root/dev"
exec chroot --userspec="$owner" "$root" env -i "$@"`

/**
 * The image as an engine runs it with `--read-only`: the entry point is process 1 of its own namespace, with the user and
 * the environment of the image. It shares the network of the machine, so its ports are given.
 */
export class Container implements AsyncDisposable {
  stderr = ''
  readonly #volume = new TemporaryFolder()
  readonly #image: BuiltImage
  readonly #child: ChildProcess
  readonly #environment: readonly string[]

  constructor(image: BuiltImage, settings: Readonly<Record<string, string>>) {
    this.#image = image
    const { User, Env, Entrypoint, Cmd } = image.config
    const [uid, gid] = User.split(':').map(Number)
    chownSync(this.#volume.path, uid!, gid!)
    const own = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
    this.#environment = [...Env, ...own]
    const inside = [...this.#environment, ...Entrypoint, ...Cmd]
    const shell = ['sh', '-ec', ENTER, 'sh', image.root, this.#volume.path, User, ...inside]
    this.#child = spawn('unshare', ['--mount', '--pid', '--fork', '--kill-child', ...shell], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#child.stderr!.on('data', (text: Buffer) => (this.stderr += text.toString()))
  }

  /** The output of a program inside, as `docker exec` runs it. @throws unless it exits with 0 */
  exec(...command: readonly string[]): string {
    const into = ['--target', String(this.#processId()), '--mount', '--pid']
    const { root, config } = this.#image
    const user = ['chroot', `--userspec=${config.User}`, root, 'env', '-i', ...this.#environment]
    return outputOf('nsenter', [...into, ...user, ...command])
  }

  /** What the operating system says of process 1: its user ids, among others. */
  get status(): string {
    return readFileSync(`/proc/${this.#processId()}/status`, 'utf8')
  }

  /** Sends SIGTERM to process 1, as `docker stop` does. Resolves with its exit code. */
  async stop(): Promise<number | null> {
    const exited = once(this.#child, 'exit')
    process.kill(this.#processId(), 'SIGTERM')
    await exited
    return this.#child.exitCode
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exited = once(this.#child, 'exit')
      this.#child.kill('SIGKILL')
      await exited
    }
    this.#volume[Symbol.dispose]()
  }

  /** The id of process 1 of the container outside of it. */
  #processId(): number {
    const { pid } = this.#child
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim())
  }
}
