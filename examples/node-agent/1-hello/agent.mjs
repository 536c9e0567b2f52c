console.log('agent started')
