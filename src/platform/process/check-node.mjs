// JavaScript, so that a Node that is too old to run the sources can still run this.
const OLDEST = 24
const found = process.versions.node

if (Number(found.split('.')[0]) < OLDEST) {
  process.stderr.write(
    `Node ${OLDEST} or newer is required, this is Node ${found}. Run "npm install" without ` +
      `--ignore-scripts to install it in this folder, then start with "npm start".\n`,
  )
  process.exit(1)
}
