import { useMutation, useQueryClient } from '@tanstack/react-query'
import { toast } from '../../../design/dialogs/toasts.tsx'
import type { Computation, ComputationProps } from './computation-kind.ts'

type Fields = Parameters<ComputationProps['kind']['change']>[1]

/** Changes a record. The change is based on the version of `record`. */
export function useSave(
  { kind, record }: ComputationProps,
  onSaved: (record: Computation) => void,
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (fields: Fields) => kind.change(record.id, fields, record.version),
    onSuccess: (saved) => {
      client.setQueryData([kind.resource, saved.id], saved)
      toast('Saved.')
      onSaved(saved)
    },
  })
}
