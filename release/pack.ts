import { PACKAGES, type PackageName } from './packages.ts'
import { makeTarballs, TARBALLS } from './packing/tarballs.ts'

// npm run pack: builds the tarballs of all packages, to install them without a registry.
for (const { file, entries, bytes } of await makeTarballs(TARBALLS))
  console.log(`${file}  ${entries.length} files, ${(bytes / 1000).toFixed(0)} kB`)

console.log(`
The client library, for Node 20 or newer. Run this in the folder of your project:

  npm install ${files(['protocol', 'client'])}

The service and the command hookline, for Node 24 or newer:

  npm install ${files(PACKAGES)}`)

function files(names: readonly PackageName[]): string {
  return names.map((name) => `${TARBALLS}/${name}.tgz`).join(' ')
}
