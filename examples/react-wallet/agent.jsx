import { createRegistry } from '@agent-registry/client'
import { useState } from 'react'

const registry = createRegistry(import.meta.env.VITE_GATEWAY ?? 'http://localhost:3000')

/** Signs in, and registers the agent of the wallet. */
export function Agent({ signer }) {
  const [message, setMessage] = useState('')
  const run = async (work) => setMessage(await work().catch((error) => error.message))

  const signIn = async () => {
    await registry.sessions.signIn(signer)
    const webhooks = await registry.webhooks.list()
    return `Signed in, ${webhooks.length} webhooks`
  }
  const register = async (form) => {
    const name = form.get('name')
    // The file that you publish at the URL.
    const card = JSON.stringify({ name })
    const cardUrl = 'https://agents.example.org/card.json'
    const registration = { name, category: 'research', cardUrl, card, inviteCode: form.get('code') }
    const { pda, transaction } = await registry.agents.register(registration, signer)
    return `${transaction.status}: ${pda}`
  }

  return (
    <>
      <p>Wallet {signer.address}</p>
      <button onClick={() => run(signIn)}>Sign in</button>
      <form action={(form) => run(() => register(form))}>
        <input name="name" placeholder="Name of the agent" required maxLength={32} />
        <input name="code" placeholder="Invite code" required />
        <button>Register</button>
      </form>
      <output>{message}</output>
    </>
  )
}
