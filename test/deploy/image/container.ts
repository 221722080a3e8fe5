import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, readFileSync } from 'node:fs'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { outputOf } from '../programs.ts'
import type { BuiltImage } from './built-image.ts'

/** Mounts the image read-only with a volume, in the mount namespace of the new process. */
const ENTER = `root=$1 volume=$2 owner=$3; shift 3
mount --bind "$root" "$root" && mount -o remount,bind,ro "$root"
mount --bind "$volume" "$root/data" && mount -t proc proc "$root/proc" && mount --bind /dev "$root/dev"
exec chroot --userspec="$owner" "$root" env -i "$@"`

/**
 * Runs the image as a container engine does with `--read-only`: the entry point is process 1 of a new namespace, with the user
 * and the environment of the image. It shares the network of the machine, so the caller chooses its ports.
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

  /** Runs a program inside the container, like `docker exec`, and returns its output. @throws unless it exits with 0 */
  exec(...command: readonly string[]): string {
    const into = ['--target', String(this.#processId()), '--mount', '--pid']
    const { root, config } = this.#image
    const user = ['chroot', `--userspec=${config.User}`, root, 'env', '-i', ...this.#environment]
    return outputOf('nsenter', [...into, ...user, ...command])
  }

  /** The status of process 1, such as its user ids. */
  get status(): string {
    return readFileSync(`/proc/${this.#processId()}/status`, 'utf8')
  }

  /** Sends SIGTERM to process 1, like `docker stop`. Resolves with its exit code. */
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

  /** The process id of process 1 outside the container. */
  #processId(): number {
    const { pid } = this.#child
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim())
  }
}
