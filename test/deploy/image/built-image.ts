import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { REPOSITORY } from '@hookline/testing/repository'
import { outputOf, pathOf } from '../programs.ts'
import { writeBaseFiles } from './base-image.ts'

/** The configuration of an image that determines how it runs. */
export interface ImageConfig {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly ExposedPorts: Readonly<Record<string, object>>
  readonly Volumes: Readonly<Record<string, object>>
  readonly Healthcheck: { readonly Test: readonly string[] }
}

/**
 * The image of deploy/Dockerfile, built without a container engine or a registry. The base image contains the project's Node and
 * a few programs from this machine.
 */
export class BuiltImage implements Disposable {
  readonly #folder = new TemporaryFolder()
  readonly #container: string
  /** The root file system of the image. */
  readonly root: string
  readonly config: ImageConfig

  /** Use `build`. */
  private constructor(folder: TemporaryFolder) {
    this.#folder = folder
    this.#container = this.#buildah('from', 'hookline')
    this.root = this.#buildah('mount', this.#container)
    const { Docker } = JSON.parse(this.#buildah('inspect', this.#container)) as {
      readonly Docker: { readonly config: ImageConfig }
    }
    this.config = Docker.config
  }

  static async build(): Promise<BuiltImage> {
    const folder = new TemporaryFolder()
    const base = `${folder.path}/base`
    mkdirSync(base)
    writeBaseFiles(base)
    writeFileSync(`${folder.path}/Basefile`, BASE_FILE)
    await build(folder, ['-f', `${folder.path}/Basefile`, '-t', 'node-base', base])
    const cache = outputOf('npm', ['config', 'get', 'cache']).trim()
    const options = ['--build-arg', 'NODE_IMAGE=localhost/node-base', '-v', `${cache}:/npm-cache`]
    const file = ['-f', 'deploy/Dockerfile', '-t', 'hookline', REPOSITORY]
    await build(folder, ['--format', 'docker', ...options, ...file])
    return new BuiltImage(folder)
  }

  [Symbol.dispose](): void {
    this.#buildah('unmount', this.#container)
    this.#buildah('rm', this.#container)
    this.#folder[Symbol.dispose]()
  }

  #buildah(...args: readonly string[]): string {
    return outputOf('buildah', [...storageIn(this.#folder), ...args]).trim()
  }
}

const BASE_FILE = `FROM scratch
COPY . /
ENV PATH=/usr/local/bin:/usr/bin NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
`

async function build(folder: TemporaryFolder, args: readonly string[]): Promise<void> {
  const options = [...storageIn(folder), 'bud', '--isolation', 'chroot', '--layers=false']
  const wide = { cwd: REPOSITORY, maxBuffer: 16 * 1024 * 1024 }
  await promisify(execFile)(pathOf('buildah')!, [...options, ...args], wide)
}

function storageIn({ path }: TemporaryFolder): string[] {
  return ['--storage-driver', 'overlay', '--root', `${path}/images`, '--runroot', `${path}/run`]
}
