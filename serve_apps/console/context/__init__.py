"""What a console request finds around it: resources, the engine, pages, refusals."""
