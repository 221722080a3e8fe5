import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../../harness/run.ts'
import type { Installation, Library } from '../library.ts'

const CRATE = fileURLToPath(new URL('.', import.meta.url))

const installation: Installation = {
  name: 'rust',
  needs: [
    ['cargo', '--version'],
    ['cc', '--version'],
  ],
  files: ['Cargo.toml', 'Cargo.lock', 'src/main.rs', 'src/message.rs'].map(
    (file) => new URL(file, import.meta.url),
  ),
  async install(folder) {
    const target = join(folder, 'target')
    await run('cargo', ['build', '--locked', '--quiet', '--target-dir', target], { cwd: CRATE })
    await copyFile(join(target, 'debug/program'), join(folder, 'program'))
  },
}

export const RUST_LIBRARIES: readonly Library[] = [
  {
    name: 'segment',
    version: '0.2.6',
    language: 'Rust',
    family: 'segment (Rust)',
    installation,
    command: (folder) => ({ program: join(folder, 'program'), args: [] }),
    without: { gzip: 'does not compress' },
    dropsCallsIn: { outage: 'does not retry', kill: 'does not retry' },
  },
]
