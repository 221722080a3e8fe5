/** What the inputs of a definition get. */
export interface DefinitionInputsProps<Draft> {
  readonly draft: Draft
  /** The place of the definition in what is sent to the service. */
  readonly pointer: string
  readonly onChange: (draft: Draft) => void
}
