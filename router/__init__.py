"""Evidence and state to a decision: values, settings, engine, session reducers, surfaces."""
