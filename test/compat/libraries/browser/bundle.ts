interface Bundler {
  readonly rolldown: (options: object) => Promise<{ write(options: object): Promise<unknown> }>
}

/** Bundles `entry` and its imports into a browser module. */
export async function bundle(entry: string, file: string): Promise<void> {
  // rolldown comes with Vitest's Vite. A literal import would require it as a dependency, with a version to keep in sync.
  const name = 'rolldown'
  const { rolldown } = (await import(name)) as Bundler
  const built = await rolldown({
    input: entry,
    platform: 'browser',
    transform: { define: { global: 'window' } },
    logLevel: 'silent',
  })
  await built.write({ file, format: 'esm', codeSplitting: false })
}
