/** Bytes of the heap, and of buffers beside it, that a garbage collection leaves. Needs `--expose-gc`. */
export function retainedBytes(): number {
  if (globalThis.gc === undefined) throw new Error('Run it with --expose-gc.')
  // What finalizers let go of in the first is collected in the second.
  globalThis.gc()
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
