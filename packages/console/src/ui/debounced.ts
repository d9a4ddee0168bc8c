import { useEffect, useEffectEvent, useRef, useState } from 'react'

/** The value as it was when it last stayed the same for this time. */
export function useDebounced<Value>(value: Value, ms: number): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}

/** A text that is sent when somebody stops typing. A link or the back button can change it, too. */
export function useTyped(given: string, ms: number, onTyped: (text: string) => void) {
  const [value, setValue] = useState(given)
  const settled = useDebounced(value, ms)
  const sent = useRef(given)
  const send = useEffectEvent(onTyped)
  useEffect(() => {
    if (settled === sent.current) return
    sent.current = settled
    send(settled)
  }, [settled])
  useEffect(() => {
    if (given === sent.current) return
    sent.current = given
    setValue(given)
  }, [given])
  const onChange = ({ target }: { readonly target: { readonly value: string } }) => setValue(target.value)
  return { value, onChange }
}
