/** Where text for people appears. */
interface Screen {
  readonly isTTY?: boolean
  readonly columns?: number
}

/** Of a terminal that does not say how wide it is. */
const USUAL_COLUMNS = 80

/**
 * How many columns a line may take. COLUMNS decides where it is set; else the terminal does. Without either, the reader
 * is a program or a file, and nothing is cut.
 */
export function columnsOfScreen(
  { isTTY, columns }: Screen,
  { COLUMNS }: Readonly<Record<string, string | undefined>>,
): number {
  if (COLUMNS !== undefined && /^[1-9]\d{0,3}$/.test(COLUMNS)) return Number(COLUMNS)
  // Some terminals report 0 columns.
  return isTTY ? columns || USUAL_COLUMNS : Infinity
}
