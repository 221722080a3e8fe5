/** `1 event`, `2 events`, `1,234 events` */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}
