import { mkdirSync } from 'node:fs'
import { run } from '../../release/command.ts'
import { makeTarballs } from '../../release/packing/tarballs.ts'

/** Installs the packages client and protocol in `folder`, as published. */
export async function installClient(folder: string): Promise<void> {
  const tarballs = await makeTarballs(`${folder}/tarballs`)
  for (const { name, file } of tarballs.filter((each) =>
    ['client', 'protocol'].includes(each.name),
  )) {
    const target = `${folder}/node_modules/@hookline/${name}`
    mkdirSync(target, { recursive: true })
    await run('tar', ['-xzf', file, '-C', target, '--strip-components=1'], { cwd: folder })
  }
}
